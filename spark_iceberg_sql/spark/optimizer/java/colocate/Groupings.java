package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/**
 * By which of its partition fields, and in which order, each scan of a plan would have to be grouped, so that its rows and
 * those of the scans with which they are joined come together.
 *
 * <p>The fields are those that all of them have, by keys that all joins, groups and windows above them have: tables by
 * days(ts), bucket(8, id) and by bucket(8, id) are joined on id by the buckets. Spark joins without a shuffle only if the
 * partitioning has all keys of the join, in one order, so the others are added: nothing depends on their values.
 */
public final class Groupings {
  private final ClusteringKeys keys;
  private final Map<Object, List<PartitionKey>> fields;
  private final boolean needsAllKeys;
  private final RebalancePartitions written;
  /** By a scan: its grouping. */
  private final Map<Object, Grouping> results = new IdentityHashMap<>();
  private Group writtenGroup;
  private boolean isWritten;

  /** The partition fields by which a scan is grouped, and the other keys, both by the class of the key. */
  public static final class Grouping {
    public final Map<Integer, PartitionKey> fields = new TreeMap<>();
    public final Map<Integer, Expression> others = new TreeMap<>();
  }

  /** Scans whose rows could come together. */
  private static final class Group {
    final List<DataSourceV2ScanRelation> scans = new ArrayList<>();
    /** What all have: the class of a key and the function of it. */
    Set<String> common = new TreeSet<>();
    /** The classes that a partitioning must have, all of them; null if no join asks for it. */
    Set<Integer> required;
    /** Those that it may have; null for any. */
    Set<Integer> allowed;
    boolean isUsed;
  }

  private Groupings(
    ClusteringKeys keys, Map<Object, List<PartitionKey>> fields, boolean needsAllKeys, RebalancePartitions written) {
    this.keys = keys;
    this.fields = fields;
    this.needsAllKeys = needsAllKeys;
    this.written = written;
  }

  /**
   * The groupings of a plan, by its scans.
   *
   * @param fields by a scan, its partition fields
   * @param needsAllKeys whether a join without a shuffle needs all its keys in the partitioning
   * @param written the node that would distribute the rows of a write; null if there is none
   */
  public static Groupings of(LogicalPlan plan, ClusteringKeys keys, Map<Object, List<PartitionKey>> fields,
    boolean needsAllKeys, RebalancePartitions written) {
    Groupings groupings = new Groupings(keys, fields, needsAllKeys, written);
    groupings.end(groupings.visit(plan));
    return groupings;
  }

  /** By a scan: its grouping. */
  public Map<Object, Grouping> byScan() { return results; }

  /** Whether rows are grouped as the table to which they are written is partitioned. */
  public boolean areWritten() { return isWritten; }

  /** The scans whose rows reach a node as they are grouped; null if there are none. */
  private Group visit(LogicalPlan node) {
    if (node instanceof DataSourceV2ScanRelation) return scan((DataSourceV2ScanRelation) node);
    List<Group> sides = new ArrayList<>();
    for (LogicalPlan child : ScalaTypes.list(node.children())) sides.add(visit(child));
    Set<Integer> classes = keys.classes(node);
    if (node instanceof Join) return join((Group) sides.get(0), (Group) sides.get(1), classes);
    if (node == written) return written((Group) sides.get(0));
    boolean isOther = sides.size() != 1 || node instanceof RepartitionOperation;
    Group group = isOther ? null : (Group) sides.get(0);
    if (!isOther && !(node instanceof Aggregate) && !(node instanceof Window)) return group;
    if (group != null && classes != null && isGrouped(group, classes)) return group;
    for (Group side : sides) end(side);
    return null;
  }

  private Group written(Group group) {
    if (group == null) return null;
    // By some of the fields, a task would write into as many partitions as the others have values.
    Set<String> names = keys.written(written);
    if (names == null || names.isEmpty() || !group.common.containsAll(names)) return group;
    group.common = names;
    group.isUsed = true;
    writtenGroup = group;
    return group;
  }

  private Group scan(DataSourceV2ScanRelation scanned) {
    List<PartitionKey> options = (List<PartitionKey>) fields.get(scanned.scan());
    if (options == null || options.isEmpty()) return null;
    Group group = new Group();
    group.scans.add(scanned);
    for (PartitionKey option : options) group.common.add(name(option));
    return group;
  }

  /** Whether a group or a window by these keys needs no shuffle. */
  private boolean isGrouped(Group group, Set<Integer> classes) {
    Set<String> common = of(group.common, classes);
    if (group.required == null && isNullSafe(common)) return false; // Spark would rely on one of the two keys
    if (common.isEmpty() || group.required != null && !classes.containsAll(group.required)) return false;
    group.common = common;
    group.allowed = both(group.allowed, classes);
    group.isUsed = true;
    return true;
  }

  /** The scans of both sides, if their rows come together; else those of one of them, which the other may not move. */
  private Group join(Group left, Group right, Set<Integer> classes) {
    if (left == null || right == null) return left == null ? right : left;
    Set<String> common = classes == null ? new TreeSet<String>() : of(left.common, classes);
    common.retainAll(right.common);
    boolean isOfAllKeys = needsAllKeys || isNullSafe(common);
    if (common.isEmpty() || isOfAllKeys && !(canRequire(left, classes) && canRequire(right, classes))) {
      end(left);
      end(right);
      return null;
    }
    left.scans.addAll(right.scans);
    left.common = common;
    left.allowed = both(left.allowed, right.allowed);
    if (isOfAllKeys) left.required = classes;
    left.isUsed = true;
    return left;
  }

  private static boolean canRequire(Group group, Set<Integer> classes) {
    if (group.allowed != null && !group.allowed.containsAll(classes)) return false;
    return group.required == null || group.required.equals(classes);
  }

  private static Set<Integer> both(Set<Integer> first, Set<Integer> second) {
    if (first == null || second == null) return first == null ? second : first;
    Set<Integer> result = new LinkedHashSet<>(first);
    result.retainAll(second);
    return result;
  }

  /** Those of some classes, with what else they depend on. */
  private Set<String> of(Set<String> names, Set<Integer> classes) {
    Set<String> result = new TreeSet<>();
    for (String name : names) {
      Integer number = number(name), test = keys.nullTest(number);
      if (classes.contains(number) && (test == null || classes.contains(test))) result.add(name);
    }
    return result;
  }

  /** Whether the values of some follow from two keys only, as <=> compares them. */
  private boolean isNullSafe(Set<String> names) {
    for (String name : names)
      if (keys.nullTest(number(name)) != null) return true;
    return false;
  }

  private static Integer number(String name) { return Integer.valueOf(name.substring(0, name.indexOf(' '))); }

  private static String name(PartitionKey field) { return field.number + " " + field.function; }

  /** Nothing above asks for the rows of a group as they are. */
  private void end(Group group) {
    if (group == null || !group.isUsed) return;
    Map<Object, Grouping> groupings = new IdentityHashMap<>();
    for (DataSourceV2ScanRelation scanned : group.scans) {
      Grouping grouping = grouping(scanned, group);
      if (grouping == null) return;
      groupings.put(scanned.scan(), grouping);
    }
    results.putAll(groupings);
    isWritten |= group == writtenGroup;
  }

  /** Of one scan; null if one of the keys is none of its columns. */
  private Grouping grouping(DataSourceV2ScanRelation scanned, Group group) {
    Grouping grouping = new Grouping();
    for (PartitionKey option : (List<PartitionKey>) fields.get(scanned.scan())) {
      PartitionKey other = (PartitionKey) grouping.fields.get(option.number);
      if (group.common.contains(name(option)) && (other == null || option.isFinerThan(other)))
        grouping.fields.put(option.number, option);
    }
    if (group.required == null) return grouping;
    Map<Integer, Expression> columns = columns(scanned);
    for (Integer number : group.required) {
      if (grouping.fields.containsKey(number)) continue;
      if (!columns.containsKey(number)) return null;
      grouping.others.put(number, (Expression) columns.get(number));
    }
    return grouping;
  }

  /** The keys of a scan, by their class. */
  private Map<Integer, Expression> columns(DataSourceV2ScanRelation scanned) {
    Map<Integer, Expression> result = new HashMap<>();
    for (Expression key : keys.all())
      if (key.references().subsetOf(scanned.outputSet()) && !result.containsKey(keys.number(key)))
        result.put(keys.number(key), key);
    return result;
  }
}

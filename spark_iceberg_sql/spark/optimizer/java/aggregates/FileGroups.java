package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;

/**
 * The groups of an aggregation that are answered from the metadata of their files, and the files of the others.
 *
 * <p>Invariant: a group is answered if each file that may have a row of it is certain, and has rows of it alone. Which
 * groups there are (DISTINCT) needs one such file.
 */
public final class FileGroups {
  /** The maximum number of groups, and of comparisons of groups with files that have several. */
  private static final int LIMIT = 100000;
  private static final long COMPARISONS = 5000000;
  private final List<Expression> grouping;
  private final List<FileAggregate> aggregates;
  private final List<Group> byFile = new ArrayList<>();
  private final Map<List<Object>, Group> groups = new LinkedHashMap<>();
  /** The files with rows of several groups: the range of each grouping expression. */
  private final Set<List<Object>> boxes = new LinkedHashSet<>();
  private final List<DataFile> files = new ArrayList<>();

  /** One group. */
  private static final class Group {
    final List<Object> key;
    final List<Object> states = new ArrayList<>();
    /** Whether some file with a row in it is certain, and whether all are. */
    boolean exists, isCertain = true;

    Group(List<Object> key) { this.key = key; }
  }

  /** Whether files are kept, some of which may have to be read. */
  private final boolean isOfFiles;

  public FileGroups(List<Expression> grouping, List<FileAggregate> aggregates, boolean isOfFiles) {
    this.grouping = grouping;
    this.aggregates = aggregates;
    this.isOfFiles = isOfFiles;
  }

  /** Whether there are too many for an answer. */
  public boolean areTooMany() { return groups.size() > LIMIT; }

  /** Adds a file whose rows are all in one group. values: of the aggregates over the file; null if not certain. */
  public void add(DataFile file, List<Object> key, List<Object> values) {
    Group group = (Group) groups.get(key);
    if (group == null) groups.put(key, group = new Group(key));
    if (group.states.isEmpty())
      for (FileAggregate a : aggregates) group.states.add(a.empty());
    group.exists |= values != null;
    group.isCertain &= values != null;
    for (int i = 0; values != null && i < aggregates.size(); i++)
      group.states.set(i, ((FileAggregate) aggregates.get(i)).with(group.states.get(i), values.get(i)));
    if (!isOfFiles) return;
    files.add(file);
    byFile.add(group);
  }

  /** Adds a file with rows of several groups. ranges: of the grouping expressions; see ConstantExpression.range. */
  public void addMixed(DataFile file, List<Object> ranges) {
    boxes.add(ranges);
    files.add(file);
    byFile.add(null);
  }

  /** Decides which groups are answered; whether there are any, and not too many. */
  public boolean decide() {
    // Which groups exist depends on no other file.
    boolean isExistence = aggregates.isEmpty();
    if (!isExistence && (long) boxes.size() * groups.size() > COMPARISONS) return false;
    int answered = 0;
    for (Group group : groups.values()) {
      if (isExistence) group.isCertain = group.exists;
      else if (group.isCertain) group.isCertain = !isInBox(group.key);
      if (group.isCertain) answered++;
    }
    return answered > 0 && answered <= LIMIT;
  }

  @SuppressWarnings("unchecked")
  private boolean isInBox(List<Object> key) {
    for (List<Object> box : boxes) {
      boolean isIn = true;
      for (int i = 0; isIn && i < key.size(); i++)
        isIn = mayBe(key.get(i), (List<Object>) box.get(i), ((Expression) grouping.get(i)).dataType());
      if (isIn) return true;
    }
    return false;
  }

  /** range: the least and the greatest value and whether it may be null; null if it is unknown. */
  private static boolean mayBe(Object value, List<Object> range, DataType type) {
    if (range == null) return true;
    if (value == null) return ((Boolean) range.get(2)).booleanValue();
    return range.get(0) != null && ConstantExpression.compare(type, value, range.get(0)) >= 0
      && ConstantExpression.compare(type, value, range.get(1)) <= 0;
  }

  public List<DataFile> files() { return files; }

  /** For each file, whether it must be read: it has rows of a group that is not answered. */
  public boolean[] scanned() {
    boolean[] result = new boolean[files.size()];
    for (int i = 0; i < result.length; i++) {
      Group group = (Group) byFile.get(i);
      result[i] = group == null || !group.isCertain;
    }
    return result;
  }

  /** Whether a file that must be read may have rows of an answered group. */
  public boolean isOverlapping() { return aggregates.isEmpty() && !boxes.isEmpty(); }

  /** The rows of the answered groups. results: see AggregateShape.results. */
  public List<InternalRow> rows(List<Expression> results) {
    List<InternalRow> rows = new ArrayList<>();
    for (Group group : groups.values()) {
      if (!group.isCertain) continue;
      List<Object> values = new ArrayList<>(group.key);
      for (int i = 0; i < aggregates.size(); i++)
        values.add(((FileAggregate) aggregates.get(i)).result(group.states.get(i)));
      rows.add(new GenericInternalRow(AggregateShape.evaluated(results, values.toArray())));
    }
    return rows;
  }

  /** True exactly for the rows of the files that are in no answered group. */
  public Expression remaining() {
    Set<List<Object>> answered = new LinkedHashSet<>(), others = new LinkedHashSet<>();
    for (Group group : groups.values()) (group.isCertain ? answered : others).add(group.key);
    boolean isShorter = boxes.isEmpty() && others.size() <= answered.size();
    Expression in = in(isShorter ? others : answered);
    return isShorter ? in : new Not(in);
  }

  /** Whether a row is in one of several groups: true or false, never null. */
  private Expression in(Set<List<Object>> keys) {
    if (grouping.size() > 1) {
      Set<Object> structs = new HashSet<>();
      for (List<Object> key : keys) structs.add(new GenericInternalRow(key.toArray()));
      return inSet(CreateStruct.create(ScalaTypes.seq(grouping)), structs);
    }
    Expression e = (Expression) grouping.get(0);
    Set<Object> values = new LinkedHashSet<>();
    for (List<Object> key : keys) values.add(key.get(0));
    boolean hasNull = values.remove(null);
    Expression in =
      values.isEmpty() ? (Expression) Literal.FalseLiteral() : new And(new IsNotNull(e), inSet(e, values));
    return hasNull ? new Or(new IsNull(e), in) : in;
  }

  private static Expression inSet(Expression e, Set<Object> values) {
    scala.collection.mutable.HashSet<Object> set = new scala.collection.mutable.HashSet<>();
    for (Object value : values) set.add(value);
    return new InSet(e, set.toSet());
  }
}

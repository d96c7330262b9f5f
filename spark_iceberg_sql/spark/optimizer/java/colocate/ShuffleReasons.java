package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.DynamicPruningSubquery;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.BroadcastDistribution;
import org.apache.spark.sql.catalyst.plans.physical.ClusteredDistribution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.joins.BaseJoinExec;
import org.apache.spark.sql.execution.window.WindowExecBase;
import scala.collection.immutable.Seq;

/** The joins, groups and windows of a plan: by what their rows are grouped without a shuffle, or why they are shuffled. */
public final class ShuffleReasons {
  private final ClusteringKeys keys;
  private final Map<Object, DataSourceV2ScanRelation> relations;
  private final Map<Object, String> rejected;
  private final String setting, reset;
  private final List<ShuffleRow> rows = new ArrayList<>();
  /** The scans whose bytes an operator below has saved. */
  private final Map<Object, Boolean> saved = new IdentityHashMap<>();
  /** What each row is about: a group has several operators. */
  private final Set<String> operators = new HashSet<>();

  private ShuffleReasons(ClusteringKeys keys, Map<Object, DataSourceV2ScanRelation> relations,
    Map<Object, String> rejected, String setting, String reset) {
    this.keys = keys;
    this.relations = relations;
    this.rejected = rejected;
    this.setting = setting;
    this.reset = reset;
  }

  /**
   * Those of a plan that Spark would run, in the order in which they run.
   *
   * @param relations its scans, by the scan
   * @param rejected by a scan that could be grouped, why it is not
   * @param setting what rules out grouped scans in this session or query, as a sentence; null if there is nothing
   * @param reset the statement that sets another value; null if there is none
   */
  public static List<ShuffleRow> of(SparkPlan plan, ClusteringKeys keys,
    Map<Object, DataSourceV2ScanRelation> relations, Map<Object, String> rejected, String setting, String reset)
    throws ReflectiveOperationException {
    ShuffleReasons reasons = new ShuffleReasons(keys, relations, rejected, setting, reset);
    reasons.add(plan);
    return reasons.rows;
  }

  /** The subqueries of a plan. Not those that find the partitions for rows that are broadcast: the plan has these rows, too. */
  public static List<LogicalPlan> subqueries(LogicalPlan plan) {
    List<LogicalPlan> subqueries = new ArrayList<>();
    for (Expression e : ScalaTypes.list(plan.expressions())) addSubqueries(e, subqueries);
    for (LogicalPlan child : ScalaTypes.list(plan.children())) subqueries.addAll(subqueries(child));
    return subqueries;
  }

  private static void addSubqueries(Expression e, List<LogicalPlan> subqueries) {
    if (e instanceof DynamicPruningSubquery && ((DynamicPruningSubquery) e).onlyInBroadcast()) return;
    if (e instanceof SubqueryExpression) {
      LogicalPlan subquery = (LogicalPlan) ((SubqueryExpression) e).plan();
      subqueries.add(subquery);
      subqueries.addAll(subqueries(subquery));
    }
    for (Expression child : ScalaTypes.list(e.children())) addSubqueries(child, subqueries);
  }

  private void add(SparkPlan node) throws ReflectiveOperationException {
    List<ShuffleSide> sides = new ArrayList<>();
    boolean isBroadcast = false;
    for (SparkPlan child : ScalaTypes.list(node.children())) add(child);
    for (int i = 0; i < node.children().size(); i++) {
      Object required = node.requiredChildDistribution().apply(i);
      isBroadcast |= required instanceof BroadcastDistribution;
      List<Expression> clustering = null;
      if (node instanceof BaseJoinExec) clustering = keys((BaseJoinExec) node, i);
      else if (required instanceof ClusteredDistribution)
        clustering = ScalaTypes.list(((ClusteredDistribution) required).clustering());
      if (clustering != null)
        sides.add(ShuffleSide.of((SparkPlan) node.children().apply(i), clustering, keys, relations));
    }
    if (sides.isEmpty()) return;
    ShuffleRow row = new ShuffleRow();
    row.operator = node instanceof BaseJoinExec ? "join" : node instanceof WindowExecBase ? "window" : "group";
    row.keys = sql(sides);
    addRow(row, sides, isBroadcast);
  }

  private static List<Expression> keys(BaseJoinExec join, int side) {
    return ScalaTypes.list(side == 0 ? join.leftKeys() : join.rightKeys());
  }

  /** As in SQL: a.id = b.id AND a.k = b.k, or id, k. */
  private static String sql(List<ShuffleSide> sides) {
    List<Expression> first = ((ShuffleSide) sides.get(0)).keys, last = ((ShuffleSide) sides.get(sides.size() - 1)).keys;
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < first.size(); i++) {
      String key = sql((Expression) first.get(i), sides.size() > 1);
      keys.add(sides.size() == 1 ? key : key + " = " + sql((Expression) last.get(i), true));
    }
    return String.join(sides.size() == 1 ? ", " : " AND ", keys);
  }

  /** A key without the catalog's names. isQualified: with the table's name or alias. */
  private static String sql(Expression key, final boolean isQualified) {
    return ((Expression) key.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object e) {
        return e instanceof AttributeReference;
      }

      @Override
      public Object of(Object e) {
        Seq<String> names = ((AttributeReference) e).qualifier();
        List<String> kept = isQualified && !names.isEmpty() ? List.of((String) names.last()) : List.of();
        return ((AttributeReference) e).withQualifier(ScalaTypes.<String>seq(kept));
      }
    })))
      .sql();
  }

  private void addRow(ShuffleRow row, List<ShuffleSide> sides, boolean isBroadcast)
    throws ReflectiveOperationException {
    Set<String> names = new LinkedHashSet<>();
    List<DataSourceV2ScanRelation> grouped = new ArrayList<>();
    boolean isOfTables = true;
    row.sides = new ArrayList<>();
    row.isPartitioned = Boolean.FALSE;
    row.isShuffled = Boolean.FALSE;
    row.bytes = Long.valueOf(0);
    for (ShuffleSide side : sides) {
      names.add(side.name);
      grouped.addAll(side.grouped);
      isOfTables &= side.scanned != null;
      if (side.scanned != null) row.sides.add(side.row());
      if (!side.fields.isEmpty()) row.isPartitioned = Boolean.TRUE;
      if (isBroadcast) continue;
      if (side.isShuffled) row.isShuffled = Boolean.TRUE;
      boolean isSaved = !side.isShuffled && !side.grouped.isEmpty();
      boolean isCounted = isSaved && side.scanned != null && saved.put(side.scanned.scan(), Boolean.TRUE) != null;
      if (side.isShuffled || isSaved && !isCounted) row.bytes = Long.valueOf(row.bytes.longValue() + side.bytes);
    }
    row.isPartitioned = Boolean.valueOf(isOfTables && row.isPartitioned.booleanValue());
    row.tables = new ArrayList<>(names);
    row.isBroadcast = Boolean.valueOf(isBroadcast);
    if (isBroadcast) row.reason = "one side is broadcast";
    else if (row.keys.isEmpty()) row.reason = "the join has no equality between columns of both sides";
    else if (row.isShuffled.booleanValue()) explain(row, sides);
    else if (grouped.isEmpty()) row.reason = "the rows are already divided so, by a shuffle below or in one task";
    else row.fields = GroupedScan.fields((DataSourceV2ScanRelation) grouped.get(0));
    if (operators.add(row.operator + " " + row.keys + " " + row.tables + " " + row.isShuffled)) rows.add(row);
  }

  private void explain(ShuffleRow row, List<ShuffleSide> sides) {
    for (int i = 0; i < sides.size() && row.reason == null; i++)
      explain(row, (ShuffleSide) sides.get(i), (ShuffleSide) sides.get(sides.size() - 1 - i));
    if (row.reason != null) return;
    ShuffleSide first = (ShuffleSide) sides.get(0), last = (ShuffleSide) sides.get(sides.size() - 1);
    if (!haveCommonField(first, last)) {
      String has = ((PartitionKey) first.fields.get(0)).clause, other = ((PartitionKey) last.fields.get(0)).clause;
      String replaced = clause((PartitionKey) first.fields.get(0), last);
      row.reason = first.name + " is partitioned by " + has + ", " + last.name + " by " + other;
      row.statement = replaced == null
        ? null
        : "ALTER TABLE " + last.sqlName + " REPLACE PARTITION FIELD " + other + " WITH " + replaced;
      return;
    }
    if (setting != null) {
      row.reason = setting;
      row.statement = reset;
      return;
    }
    for (ShuffleSide side : sides)
      if (row.reason == null) row.reason = (String) rejected.get(side.scanned.scan());
    for (ShuffleSide side : sides)
      if (row.reason == null && side.isMoved)
        row.reason = "the rows of " + side.name + " have been shuffled by other keys before";
    for (ShuffleSide side : sides)
      if (row.reason == null && side.isEarlier) {
        row.reason = "the files of " + side.name + " that are read have an earlier partition spec";
        row.statement = side.rewrite;
      }
    if (row.reason == null) row.reason = "Spark does not match the partitions on these keys";
  }

  /** The reason that one side is, if any. other: the side with which it is joined, or itself. */
  private void explain(ShuffleRow row, ShuffleSide side, ShuffleSide other) {
    if (side.scanned == null) {
      row.reason = !side.isOfIceberg ? side.name + " is not an Iceberg table"
                                     : "the keys of one side are not columns of one table";
    } else if (side.specs == 0) {
      row.reason = "no file of " + side.name + " is read";
    } else if (side.fields.isEmpty()) {
      String added = other.fields.isEmpty() ? null : clause((PartitionKey) other.fields.get(0), side);
      Expression computed = computed(side);
      if (computed != null)
        row.reason = side.name + " is partitioned by columns, and the key is " + sql(computed, true);
      else
        row.reason = side.name + " is " + (side.isPartitioned() ? "partitioned by other columns" : "not partitioned");
      row.statement = added == null ? null : "ALTER TABLE " + side.sqlName + " ADD PARTITION FIELD " + added;
    } else if (side.specs > 1) {
      row.reason = "the files of " + side.name + " that are read have " + side.specs + " partition specs";
      row.statement = side.rewrite;
    }
  }

  /** The first key that is no column of the side's table, such as cast(id AS BIGINT); null if all are. */
  private static Expression computed(ShuffleSide side) {
    for (Expression key : side.keys)
      if (side.isPartitioned() && !PartitionLayout.isColumn(key)) return key;
    return null;
  }

  private static boolean haveCommonField(ShuffleSide first, ShuffleSide last) {
    for (PartitionKey a : first.fields)
      for (PartitionKey b : last.fields)
        if (a.number.equals(b.number) && a.function.equals(b.function)) return true;
    return false;
  }

  /** The partition field by which another table would be partitioned alike; null if it has no such column. */
  private String clause(PartitionKey key, ShuffleSide other) {
    for (Expression column : other.keys)
      if (key.number.equals(keys.number(column)) && PartitionLayout.isColumn(column)) {
        String name = PartitionLayout.quoted(column);
        int end = key.clause.length() - key.column.length();
        return end == 0 ? name : key.clause.substring(0, end - 1) + name + ")";
      }
    return null;
  }
}

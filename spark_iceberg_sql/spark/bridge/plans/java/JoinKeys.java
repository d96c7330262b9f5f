package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.Seq;

/**
 * What equality joins with small tables leave of a table's rows: the keys of the small side, which Spark knows at run
 * time and then prunes the table by, as conditions on the table's relations.
 *
 * <p>Invariant: a row for which a condition is not true is in no row of the query's result.
 */
public final class JoinKeys {
  /** Of more keys than these, none are taken. */
  private static final int MAXIMUM_KEYS = 10000;
  /** Of more keys than these, only the least and the greatest are taken. */
  private static final int MAXIMUM_VALUES = 1000;
  private static final List<String> LEFT_NEEDS_RIGHT = List.of("Inner", "LeftSemi");
  private static final List<String> RIGHT_NEEDS_LEFT = List.of("Inner", "LeftOuter");
  private static final List<String> ORDERED = List.of(
    "IntegerType", "LongType", "DateType", "TimestampType", "TimestampNTZType", "StringType", "ShortType", "ByteType");

  /** An equality of a join: an expression over a table's relation, and the plan of the other side's distinct keys. */
  public static final class Equality {
    private final int relation;
    private final Expression probe;
    private final LogicalPlan keys;

    Equality(int relation, Expression probe, LogicalPlan keys) {
      this.relation = relation;
      this.probe = probe;
      this.keys = keys;
    }

    /** A plan with the distinct keys in one column. */
    public LogicalPlan keys() { return keys; }
  }

  /** The condition that an equality implies for a relation. */
  public static final class Condition {
    private final int relation;
    private final Expression predicate;

    Condition(int relation, Expression predicate) {
      this.relation = relation;
      this.predicate = predicate;
    }
  }

  /** The equalities of a plan's joins between a table and others small enough to be broadcast. */
  public List<Equality> equalities(LogicalPlan analysed, LogicalPlan optimized, Object uuid) {
    List<Equality> result = new ArrayList<>();
    addEqualities(optimized, relations(analysed, uuid, new ArrayList<DataSourceV2Relation>()), uuid, result);
    return result;
  }

  /** The condition that the rows of an equality's plan of keys imply; null if there are too many. */
  @SuppressWarnings("unchecked")
  public Condition condition(Equality equality, InternalRow[] rows) {
    DataType type = equality.probe.dataType();
    if (rows.length == 0 || rows.length > MAXIMUM_KEYS) return null;
    List<Object> values = new ArrayList<>();
    for (InternalRow row : rows)
      if (!row.isNullAt(0)) values.add(InternalRow.copyValue(row.get(0, type)));
    if (values.isEmpty()) return null;
    if (values.size() <= MAXIMUM_VALUES) {
      List<Expression> literals = new ArrayList<>();
      for (Object value : values) literals.add(new Literal(value, type));
      return new Condition(equality.relation, new In(equality.probe, seq(literals)));
    }
    if (!ORDERED.contains(type.getClass().getSimpleName().replace("$", ""))) return null;
    Comparable<Object> lowest = (Comparable<Object>) values.get(0), highest = lowest;
    for (Object value : values) {
      if (lowest.compareTo(value) > 0) lowest = (Comparable<Object>) value;
      if (highest.compareTo(value) < 0) highest = (Comparable<Object>) value;
    }
    Expression from = new GreaterThanOrEqual(equality.probe, new Literal(lowest, type));
    return new Condition(
      equality.relation, new And(from, new LessThanOrEqual(equality.probe, new Literal(highest, type))));
  }

  /** An analysed plan with conditions on its relations of a table. */
  public LogicalPlan filtered(LogicalPlan analysed, Object uuid, List<Condition> conditions) {
    return filtered(analysed, relations(analysed, uuid, new ArrayList<DataSourceV2Relation>()), conditions);
  }

  private static LogicalPlan filtered(
    LogicalPlan plan, List<DataSourceV2Relation> relations, List<Condition> conditions) {
    int index = identityIndex(relations, plan);
    if (index >= 0) {
      LogicalPlan result = plan;
      for (Condition condition : conditions)
        if (condition.relation == index) result = new Filter(bound(condition.predicate, plan), result);
      return result;
    }
    List<LogicalPlan> children = new ArrayList<>();
    boolean isChanged = false;
    for (int i = 0; i < plan.children().size(); i++) {
      LogicalPlan child = (LogicalPlan) plan.children().apply(i);
      LogicalPlan result = filtered(child, relations, conditions);
      isChanged |= result != child;
      children.add(result);
    }
    return isChanged ? (LogicalPlan) plan.withNewChildren(seq(children)) : plan;
  }

  private static int identityIndex(List<DataSourceV2Relation> relations, LogicalPlan plan) {
    for (int i = 0; i < relations.size(); i++)
      if (relations.get(i) == plan) return i;
    return -1;
  }

  /** The predicate with the columns of a relation of the same names. */
  private static Expression bound(Expression e, LogicalPlan relation) {
    if (e instanceof AttributeReference) {
      for (int i = 0; i < relation.output().size(); i++)
        if (((Attribute) relation.output().apply(i)).name().equals(((Attribute) e).name()))
          return (Expression) relation.output().apply(i);
      throw new IllegalStateException("the relation has no column " + e);
    }
    List<Expression> children = new ArrayList<>();
    for (int i = 0; i < e.children().size(); i++) children.add(bound((Expression) e.children().apply(i), relation));
    return children.isEmpty() ? e : (Expression) e.withNewChildren(seq(children));
  }

  private static List<DataSourceV2Relation> relations(
    LogicalPlan plan, Object uuid, List<DataSourceV2Relation> result) {
    if (plan instanceof DataSourceV2Relation && isTable(((DataSourceV2Relation) plan).table(), uuid))
      result.add((DataSourceV2Relation) plan);
    for (int i = 0; i < plan.children().size(); i++) relations((LogicalPlan) plan.children().apply(i), uuid, result);
    return result;
  }

  private static boolean isTable(Object table, Object uuid) {
    return table instanceof SparkTable && ((SparkTable) table).table().uuid().equals(uuid);
  }

  private static void addEqualities(
    LogicalPlan plan, List<DataSourceV2Relation> relations, Object uuid, List<Equality> result) {
    if (plan instanceof Join && ((Join) plan).condition().isDefined()) {
      Join join = (Join) plan;
      String type = join.joinType().getClass().getSimpleName().replace("$", "");
      if (LEFT_NEEDS_RIGHT.contains(type)) addEqualities(join, join.left(), join.right(), relations, uuid, result);
      if (RIGHT_NEEDS_LEFT.contains(type)) addEqualities(join, join.right(), join.left(), relations, uuid, result);
    }
    for (int i = 0; i < plan.children().size(); i++)
      addEqualities((LogicalPlan) plan.children().apply(i), relations, uuid, result);
  }

  private static void addEqualities(Join join, LogicalPlan probe, LogicalPlan build,
    List<DataSourceV2Relation> relations, Object uuid, List<Equality> result) {
    if (reads(build, uuid) || !build.deterministic()) return;
    long threshold = SQLConf.get().autoBroadcastJoinThreshold();
    if (build.stats().sizeInBytes().bigInteger().compareTo(java.math.BigInteger.valueOf(threshold)) > 0) return;
    for (Expression conjunct : conjuncts((Expression) join.condition().get(), new ArrayList<Expression>())) {
      if (!(conjunct instanceof EqualTo) || !conjunct.deterministic()) continue;
      EqualTo equal = (EqualTo) conjunct;
      add(equal.left(), equal.right(), probe, build, relations, result);
      add(equal.right(), equal.left(), probe, build, relations, result);
    }
  }

  private static void add(Expression side, Expression key, LogicalPlan probe, LogicalPlan build,
    List<DataSourceV2Relation> relations, List<Equality> result) {
    if (!side.dataType().equals(key.dataType()) || side.references().isEmpty()) return;
    if (!side.references().subsetOf(probe.outputSet()) || !key.references().subsetOf(build.outputSet())) return;
    DataSourceV2Relation relation = source(probe, side.references());
    int index = relation == null ? -1 : indexByOutput(relations, relation);
    if (index < 0) return;
    List<NamedExpression> columns = new ArrayList<>();
    columns.add(new Alias(key, "key", NamedExpression.newExprId(), seq(new ArrayList<String>()),
      scala.Option.<org.apache.spark.sql.types.Metadata>empty(), seq(new ArrayList<String>())));
    // In one task, since a shuffle would take longer than all else.
    LogicalPlan keys = new Distinct(new Repartition(1, false, new Project(seq(columns), build)));
    Expression limit = new Literal(Integer.valueOf(MAXIMUM_KEYS + 1), DataTypes.IntegerType);
    result.add(new Equality(index, side, new GlobalLimit(limit, new LocalLimit(limit, keys))));
  }

  /** The relation below a join whose rows are needed only if they join; null if there may be another operator. */
  private static DataSourceV2Relation source(LogicalPlan plan, AttributeSet columns) {
    if (plan instanceof DataSourceV2ScanRelation) {
      Object relation = ((DataSourceV2ScanRelation) plan).relation();
      boolean isOfIt = columns.subsetOf(plan.outputSet()) && relation instanceof DataSourceV2Relation;
      return isOfIt ? (DataSourceV2Relation) relation : null;
    }
    boolean isLeftKept = true, isRightKept = false;
    if (plan instanceof Join) {
      String type = ((Join) plan).joinType().getClass().getSimpleName().replace("$", "");
      isLeftKept = !type.equals("FullOuter") && !type.equals("RightOuter");
      isRightKept = type.equals("Inner") || type.equals("RightOuter");
    } else if (!(plan instanceof Project || plan instanceof Filter)) {
      return null;
    }
    for (int i = 0; i < plan.children().size(); i++) {
      LogicalPlan child = (LogicalPlan) plan.children().apply(i);
      if (!(i == 0 ? isLeftKept : isRightKept) || !columns.subsetOf(child.outputSet())) continue;
      return source(child, columns);
    }
    return null;
  }

  private static int indexByOutput(List<DataSourceV2Relation> relations, DataSourceV2Relation relation) {
    AttributeSet output = ((LogicalPlan) relation).outputSet();
    for (int i = 0; i < relations.size(); i++)
      if (((LogicalPlan) relations.get(i)).outputSet().subsetOf(output)) return i;
    return -1;
  }

  private static boolean reads(LogicalPlan plan, Object uuid) {
    if (plan instanceof DataSourceV2ScanRelation) {
      Object relation = ((DataSourceV2ScanRelation) plan).relation();
      return !(relation instanceof DataSourceV2Relation) || isTable(((DataSourceV2Relation) relation).table(), uuid);
    }
    for (int i = 0; i < plan.children().size(); i++)
      if (reads((LogicalPlan) plan.children().apply(i), uuid)) return true;
    return false;
  }

  private static List<Expression> conjuncts(Expression e, List<Expression> result) {
    if (e instanceof And) {
      conjuncts(((And) e).left(), result);
      conjuncts(((And) e).right(), result);
    } else {
      result.add(e);
    }
    return result;
  }

  private static <X> Seq<X> seq(List<? extends X> list) { return PythonUtils.toSeq(new ArrayList<X>(list)); }
}

package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.transforms.Transforms;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MergeRows;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import scala.Option;
import scala.Product;
import scala.collection.immutable.Seq;

/**
 * The keys of a plan's joins, groups and windows: those by which Spark would shuffle rows.
 *
 * <p>A key is an expression of the columns of scans. Keys that a join compares are one class: rows with the same value of
 * one and the other meet.
 */
public final class ClusteringKeys {
  /** The most names that a column may have above another. */
  private static final int NAMES = 30;
  private static final List<String> ROW_COLUMNS = List.of("_spec_id", "_partition");
  /** The column that tells whether a row that a statement writes is deleted, changed or inserted. */
  private static final String OPERATION = "__row_operation";

  /** By the name of a column in a query, what it is. */
  private final Map<ExprId, Expression> definitions = new HashMap<>();
  /** By the name of a column that MERGE writes, what it may be. */
  private final Map<ExprId, List<Expression>> alternatives = new HashMap<>();
  /** By each key, as Spark compares them, another one of its class; the last one has itself. */
  private final Map<Expression, Expression> links = new HashMap<>();
  private final Map<Expression, Integer> numbers = new HashMap<>();
  private final List<Expression> keys = new ArrayList<>();
  /** By a key that <=> compares, as Spark compares them, the key that tells whether it is null; also by their classes. */
  private final Map<Expression, Expression> nullTests = new HashMap<>();
  private final Map<Integer, Integer> nullTestNumbers = new HashMap<>();
  /** By a node, the keys that it compares. */
  private final Map<Object, List<Expression>> nodes = new IdentityHashMap<>();

  private ClusteringKeys() {}

  /**
   * Those of a plan, without its subqueries.
   *
   * @param written the node that would distribute the rows of a write; null if there is none
   */
  public static ClusteringKeys of(LogicalPlan plan, RebalancePartitions written) {
    ClusteringKeys result = new ClusteringKeys();
    result.define(plan);
    result.addAll(plan);
    if (written != null)
      for (Expression e : ScalaTypes.list(written.partitionExpressions())) result.addWritten(e);
    for (Expression key : result.keys) {
      Expression root = result.root(key);
      if (!result.numbers.containsKey(root)) result.numbers.put(root, Integer.valueOf(result.numbers.size()));
    }
    for (Map.Entry<Expression, Expression> test : result.nullTests.entrySet())
      result.nullTestNumbers.put(
        result.number((Expression) test.getKey()), result.number((Expression) test.getValue()));
    return result;
  }

  public boolean isEmpty() { return keys.isEmpty(); }

  /** All of them, in terms of the columns of scans. */
  public List<Expression> all() { return keys; }

  /** The class of a key; null if it is none. */
  public Integer number(Expression key) { return (Integer) numbers.get(root(key)); }

  /** The classes of the keys of a join, a group or a window; null if it has none, or others. */
  public Set<Integer> classes(LogicalPlan node) {
    List<Expression> compared = (List<Expression>) nodes.get(node);
    if (compared == null || compared.isEmpty()) return null;
    Set<Integer> classes = new LinkedHashSet<>();
    for (Expression key : compared) classes.add(number(key));
    return classes;
  }

  /**
   * The partition fields of the table that is written, as PartitionKey names them; null if the values of one do not follow
   * from the keys. The places of rows that MERGE replaces are not among them: they are those of the table's rows.
   */
  public Set<String> written(RebalancePartitions node) {
    Set<String> names = new LinkedHashSet<>();
    for (Expression e : ScalaTypes.list(node.partitionExpressions())) {
      if (e instanceof Attribute && ROW_COLUMNS.contains(((Attribute) e).name())) continue;
      Expression column = writtenColumn(e);
      Integer number = column == null ? null : number(column);
      if (number == null) return null;
      String transform = e instanceof Attribute ? Transforms.identity().toString() : PartitionLayout.transform(e);
      names.add(number + " " + transform + " " + column.dataType().catalogString());
    }
    return names;
  }

  private void addWritten(Expression field) {
    Expression column = writtenColumn(field);
    if (column == null || links.containsKey(column.canonicalized())) return;
    links.put(column.canonicalized(), column.canonicalized());
    keys.add(column);
  }

  /** The column of a scan from which the values of a partition field are computed; null if there is none. */
  private Expression writtenColumn(Expression field) {
    if (!(field instanceof Attribute) && PartitionLayout.transform(field) == null) return null;
    Expression column = field instanceof Attribute ? field : PartitionLayout.source(field);
    if (column == null) return null;
    List<Expression> merged = (List<Expression>) alternatives.get(PartitionLayout.root(column));
    if (merged == null) return origin(column);
    Expression result = null;
    for (Expression e : merged) {
      Expression other = origin(e);
      if (result != null && !root(result).equals(root(other))) return null; // an UPDATE of the column
      result = other;
    }
    return result.references().isEmpty() ? null : result; // each row gets the same value
  }

  private void define(LogicalPlan plan) {
    if (plan instanceof MergeRows) defineMerged((MergeRows) plan);
    if (plan instanceof Expand && writesRows(plan))
      defineWritten(plan.output(), ScalaTypes.list(((Expand) plan).projections()));
    for (Expression e : ScalaTypes.list(plan.expressions()))
      if (e instanceof Alias && e.deterministic()) definitions.put(((Alias) e).exprId(), ((Alias) e).child());
    for (LogicalPlan child : ScalaTypes.list(plan.children())) define(child);
  }

  private static boolean writesRows(LogicalPlan plan) {
    for (Attribute column : ScalaTypes.list(plan.output()))
      if (column.name().equals(OPERATION)) return true;
    return false;
  }

  /** The columns that MERGE writes: of the target, of the source, or without a value in a row that is deleted. */
  private void defineMerged(MergeRows merge) {
    List<MergeRows.Instruction> instructions = new ArrayList<>();
    instructions.addAll(ScalaTypes.list(merge.matchedInstructions()));
    instructions.addAll(ScalaTypes.list(merge.notMatchedInstructions()));
    instructions.addAll(ScalaTypes.list(merge.notMatchedBySourceInstructions()));
    List<Object> rows = new ArrayList<>();
    for (MergeRows.Instruction instruction : instructions) rows.addAll(ScalaTypes.list(instruction.outputs()));
    defineWritten(merge.output(), rows);
  }

  /**
   * rows: the values of the columns, in each kind of row that a node makes of one. An UPDATE by position makes two: one
   * that is deleted, and one that is inserted.
   */
  private void defineWritten(Seq<Attribute> columns, List<?> rows) {
    for (int i = 0; i < columns.size(); i++) {
      List<Expression> values = new ArrayList<>();
      for (Object row : rows) {
        Expression value = (Expression) ((Seq<?>) row).apply(i);
        if (!(value instanceof Literal) || ((Literal) value).value() != null) values.add(value);
      }
      if (!values.isEmpty()) alternatives.put(((Attribute) columns.apply(i)).exprId(), values);
    }
  }

  private void addAll(LogicalPlan plan) {
    if (plan instanceof Join) {
      addEqualities((Join) plan);
    } else if (plan instanceof Aggregate) {
      for (Expression e : ScalaTypes.list(((Aggregate) plan).groupingExpressions())) add(plan, e);
    } else if (plan instanceof Window) {
      for (Expression e : ScalaTypes.list(((Window) plan).partitionSpec())) add(plan, e);
    }
    for (LogicalPlan child : ScalaTypes.list(plan.children())) addAll(child);
  }

  /** Those by which Spark joins: for a <=> b, both coalesce(a, 0) and a IS NULL, and so of b. */
  @SuppressWarnings("unchecked")
  private void addEqualities(Join join) {
    Option<?> extracted = ExtractEquiJoinKeys.unapply(join);
    if (extracted.isEmpty()) return;
    List<Expression> left = ScalaTypes.list((Seq<Expression>) ((Product) extracted.get()).productElement(1));
    List<Expression> right = ScalaTypes.list((Seq<Expression>) ((Product) extracted.get()).productElement(2));
    for (int i = 0; i < left.size(); i++) {
      Expression first = (Expression) left.get(i), second = (Expression) right.get(i);
      if (first.references().isEmpty() || second.references().isEmpty()) continue;
      Expression a = add(join, first), b = add(join, second);
      if (a == null || b == null) continue;
      links.put(root(a), root(b));
      if (i > 0 && isNullSafe((Expression) left.get(i - 1), first)
        && isNullSafe((Expression) right.get(i - 1), second)) {
        nullTests.put(origin((Expression) left.get(i - 1)).canonicalized(), a);
        nullTests.put(origin((Expression) right.get(i - 1)).canonicalized(), b);
      }
    }
  }

  /** Whether two keys have the same values for the same values of an expression, or for null, only. */
  private static boolean isNullSafe(Expression value, Expression test) {
    if (!(value instanceof Coalesce) || !(test instanceof IsNull) || value.children().size() != 2) return false;
    return value.children().apply(1) instanceof Literal
      && ((Expression) value.children().apply(0)).semanticEquals(((IsNull) test).child());
  }

  /** The expression of which a key is half of a comparison with <=>; null if it is none. */
  public Expression compared(Expression key) {
    return nullTests.containsKey(key.canonicalized()) ? (Expression) key.children().apply(0) : null;
  }

  /** The class of the keys that tell whether what those of a class compare is null; null for keys that are not of <=>. */
  public Integer nullTest(Integer number) { return (Integer) nullTestNumbers.get(number); }

  /** The key of an expression; null if it is none. */
  private Expression add(LogicalPlan node, Expression e) {
    if (e instanceof Alias) e = ((Alias) e).child();
    if (e.foldable() || !e.deterministic()) return null;
    Expression key = origin(e);
    if (!links.containsKey(key.canonicalized())) {
      links.put(key.canonicalized(), key.canonicalized());
      keys.add(key);
    }
    List<Expression> compared = (List<Expression>) nodes.get(node);
    if (compared == null) nodes.put(node, compared = new ArrayList<>());
    compared.add(key);
    return key;
  }

  /** An expression in terms of the columns of scans. */
  public Expression origin(Expression e) {
    for (int names = 0; names < NAMES; names++) {
      Expression defined = Predicates.substituted(e, definitions);
      if (defined == e) return e;
      e = defined;
    }
    return e;
  }

  private Expression root(Expression key) {
    Expression e = key.canonicalized();
    while (true) {
      Expression next = (Expression) links.get(e);
      if (next == null || next.equals(e)) return e;
      e = next;
    }
  }
}

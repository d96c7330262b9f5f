package sparkicebergsql;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** What the source of a MERGE implies for the rows of the target that it may match. */
public final class MergeSource {
  /** The maximum number of rows of the statement's own that are looked at. */
  private static final int ROWS = 1000000;
  /** Expressions that have a value, or null, for any values of their children; parts of dates are others. */
  private static final Set<String> TOTAL =
    Set.of("And", "Contains", "DateFormatClass", "EndsWith", "EqualTo", "GreaterThan", "GreaterThanOrEqual", "In",
      "InSet", "IsNotNull", "IsNull", "KnownNullable", "LessThan", "LessThanOrEqual", "Like", "Not", "Or", "StartsWith",
      "Substring", "TruncDate", "TruncTimestamp", "UnixDate", "UnixMicros", "UnixMillis", "UnixSeconds");

  private final LogicalPlan source;
  private final PartitionLayout target;
  /** The source's relations whose files are known, to the same fixed to the snapshot that has them. */
  public final Map<LogicalPlan, LogicalPlan> pinned = new IdentityHashMap<>();
  /** Whether files were listed, which is not to be repeated in each round of the optimizer. */
  public boolean hasListedFiles;

  private MergeSource(LogicalPlan source, PartitionLayout target) {
    this.source = source;
    this.target = target;
  }

  /**
   * Null if the source may read the target: another writer may then change what the source is by rows that the filter
   * leaves out, and Iceberg looks for conflicts among the others alone.
   */
  public static MergeSource of(LogicalPlan source, PartitionLayout target) {
    boolean isSafe = !AnsweredTables.mayHave(target.table()) && !mayRead(source, target.table());
    return isSafe ? new MergeSource(source, target) : null;
  }

  private static boolean mayRead(LogicalPlan plan, Table table) {
    for (LogicalPlan input : ScalaTypes.list(plan.children()))
      if (mayRead(input, table)) return true;
    for (Expression e : ScalaTypes.list(plan.expressions()))
      if (mayRead(e, table)) return true;
    if (!plan.children().isEmpty()) return false;
    if (plan instanceof LocalRelation || plan instanceof OneRowRelation || plan instanceof Range) return false;
    if (plan instanceof LogicalRelation && ((LogicalRelation) plan).relation() instanceof HadoopFsRelation)
      return AnsweredTables.mayBeIn((HadoopFsRelation) ((LogicalRelation) plan).relation(), table);
    boolean isScan = plan instanceof DataSourceV2ScanRelation;
    PartitionLayout layout = PartitionLayout.of(isScan ? ((DataSourceV2ScanRelation) plan).relation() : plan);
    return layout == null || AnsweredTables.areSame(layout.table(), table);
  }

  /** Whether an expression has a query that may read a table. */
  public static boolean mayRead(Expression e, Table table) {
    if (e instanceof SubqueryExpression && mayRead((LogicalPlan) ((SubqueryExpression) e).plan(), table)) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (mayRead(child, table)) return true;
    return false;
  }

  /** Predicates on the target's columns, true for its rows that the condition may match with a row of the source. */
  public List<Expression> implied(Expression condition, AttributeSet columns) {
    List<Expression> result = new ArrayList<>();
    JoinTerms terms = new JoinTerms(condition, columns, source.outputSet());
    Map<LogicalPlan, List<Integer>> indexes = new IdentityHashMap<>();
    Map<LogicalPlan, List<Expression>> expressions = new IdentityHashMap<>();
    for (int i = 0; i < terms.size(); i++) {
      if (!areBoundsKnown(terms.probe(i)) || !isTotal(terms.probe(i))) continue;
      List<Expression> constraints = new ArrayList<>();
      List<ValueOrigin> origins = ValueOrigin.of(source, terms.build(i), terms.probe(i), constraints);
      if (terms.isEquality(i))
        for (Expression constraint : constraints)
          if (isTotal(constraint)) add(constraint, terms.probe(i), result);
      if (origins == null) continue;
      ValueOrigin first = (ValueOrigin) origins.get(0);
      if (origins.size() > 1 || !(first.leaf instanceof LocalRelation)) {
        add(terms.part(List.of(Integer.valueOf(i))), origins, result);
        continue;
      }
      if (!indexes.containsKey(first.leaf)) {
        indexes.put(first.leaf, new ArrayList<Integer>());
        expressions.put(first.leaf, new ArrayList<Expression>());
      }
      ((List<Integer>) indexes.get(first.leaf)).add(Integer.valueOf(i));
      ((List<Expression>) expressions.get(first.leaf)).add(first.expression);
    }
    for (LogicalPlan leaf : indexes.keySet()) {
      List<Integer> ofLeaf = (List<Integer>) indexes.get(leaf);
      JoinRows rows = new JoinRows(ofLeaf.size());
      if (read((LocalRelation) leaf, (List<Expression>) expressions.get(leaf), rows))
        add(terms.part(ofLeaf), rows, result);
    }
    return result;
  }

  /**
   * Whether an expression has no error for any row: 1 / x > 0 has one for 0. The filter is evaluated for rows of the
   * target for which the statement's other conditions, or a join without rows on its other side, may spare it.
   */
  public static boolean isTotal(Expression e) {
    if (e instanceof Attribute || e instanceof Literal) return true;
    ExpressionKind kind = ExpressionKind.of(e);
    boolean isPartOfDate = kind != null && kind.grain != null;
    boolean isKnown = isPartOfDate || TOTAL.contains(e.getClass().getSimpleName()) || Calls.function(e) != null
      || e instanceof GetStructField || e instanceof Cast && isTotal((Cast) e);
    if (!isKnown) return false;
    for (Expression child : ScalaTypes.list(e.children()))
      if (!isTotal(child)) return false;
    return true;
  }

  private static boolean isTotal(Cast cast) {
    DataType from = cast.child().dataType(), to = cast.dataType();
    boolean isDay = to.equals(DataTypes.DateType)
      && (from.equals(DataTypes.TimestampType) || from.equals(DataTypes.TimestampNTZType));
    return isDay || Cast.canUpCast(from, to);
  }

  /** Whether Iceberg skips files by the columns of an expression without losing rows. */
  private boolean areBoundsKnown(Expression probe) {
    for (Attribute column : ScalaTypes.list(probe.references().toSeq())) {
      Types.NestedField field = target.field(column);
      if (field == null || !SnapshotFiles.isKnown(field.type()) || !target.faults(column).isEmpty()) return false;
    }
    return true;
  }

  /** Adds what the values of one comparison imply, if they are known in all places that they come from. */
  private void add(JoinTerms term, List<ValueOrigin> origins, List<Expression> result) {
    JoinRows rows = new JoinRows(1);
    for (ValueOrigin origin : origins) {
      List<Expression> expressions = List.of(origin.expression);
      if (origin.leaf == null)
        BuildSide.evaluate(BuildSide.bound(expressions, new ArrayList<Attribute>()), InternalRow.empty(), rows);
      else if (origin.leaf instanceof LocalRelation ? !read((LocalRelation) origin.leaf, expressions, rows)
                                                    : !readBounds(origin, rows))
        return;
    }
    add(term, rows, result);
  }

  private static boolean read(LocalRelation relation, List<Expression> expressions, JoinRows rows) {
    if (relation.data().size() > ROWS) return false;
    Expression[] bound = BuildSide.bound(expressions, ScalaTypes.list(relation.output()));
    for (InternalRow row : ScalaTypes.list(relation.data())) BuildSide.evaluate(bound, row, rows);
    return true;
  }

  /** The bounds of a column in the files of an Iceberg table that satisfy the source's filters. */
  private boolean readBounds(ValueOrigin origin, JoinRows rows) {
    SnapshotFiles files = origin.expression instanceof Attribute ? SnapshotFiles.of(origin.leaf) : null;
    Types.NestedField field = files == null ? null : files.field(origin.expression);
    if (field == null) return false;
    org.apache.iceberg.expressions.Expression filter = Expressions.alwaysTrue();
    for (Expression condition : origin.conditions) {
      boolean isOfLeaf = condition.references().subsetOf(origin.leaf.outputSet());
      FileCondition converted = isOfLeaf ? FileCondition.of(files, condition) : null;
      boolean isReliable = converted != null && converted.isDecidable;
      for (Attribute column : ScalaTypes.list(condition.references().toSeq()))
        isReliable = isReliable && files.layout.wrapping(column) == null;
      if (isReliable) filter = Expressions.and(filter, converted.inclusive);
    }
    if (!files.areFew(filter)) return false;
    List<ColumnBounds> bounds = new ArrayList<>();
    hasListedFiles = true;
    for (FileScanTask task : files.plan(filter, List.of(files.name(field)))) {
      DataFile file = (DataFile) task.file();
      ColumnBounds ofFile = ColumnBounds.of(files, file, field);
      if (ofFile.isAllNull || file.recordCount() == 0) continue;
      if (ofFile.lower == null || ofFile.upper == null) return false;
      bounds.add(ofFile);
    }
    pinned.put(origin.leaf, files.pinned);
    boolean areValues = true;
    for (ColumnBounds ofFile : bounds) areValues &= ofFile.lower.equals(ofFile.upper);
    for (ColumnBounds ofFile : bounds)
      if (areValues) rows.add(new Object[] {ofFile.lower});
      else rows.addSpan(new Object[] {ofFile.lower}, new Object[] {ofFile.upper});
    return true;
  }

  private void add(JoinTerms terms, JoinRows rows, List<Expression> result) {
    for (int i = 0; i < terms.size() && rows.count > 0; i++) {
      Transform wrapping = PartitionLayout.isColumn(terms.probe(i)) ? target.wrapping(terms.probe(i)) : null;
      if (wrapping == null) continue;
      // A row whose partition value has wrapped around equals none of the values within the limit.
      long limit = wrapping.limit(terms.probe(i).dataType());
      boolean isWithin = terms.isEquality(i) && rows.all.low[i] instanceof Number
        && ((Number) rows.all.low[i]).longValue() > -limit && ((Number) rows.all.high[i]).longValue() < limit;
      if (!isWithin) return;
    }
    result.addAll(terms.implied(rows));
  }

  /** Adds what a filter of the source says of the values that equal a column of the target. */
  private void add(Expression constraint, Expression probe, List<Expression> result) {
    Transform wrapping = PartitionLayout.isColumn(probe) ? target.wrapping(probe) : null;
    if (wrapping == null) result.add(constraint);
    else if (!wrapping.truncates) result.add(new Or(constraint, Predicates.beyondHours(probe)));
  }
}

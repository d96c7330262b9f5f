package sparkicebergsql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.StringType;

/**
 * Withholds filters, join conditions and min, max and count from the scan where Iceberg would decide them by wrong
 * bounds (see BoundFault): the plan comes out with such columns in a KnownNullable, which costs nothing at run time.
 * Prune treats the wrapper as the column and adds a range that keeps the files at fault, so the others are skipped.
 * Refuses to read a table of which a manifest is cut off.
 */
public class Bounds extends SwitchedRule {
  /** An option of Iceberg's reader. */
  private static final String VECTORIZED = "vectorization-enabled";

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    Map<ExprId, PartitionLayout> layouts = new HashMap<>();
    if (!collect(plan, layouts)) return plan;
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Nodes(layouts, UsedColumns.of(plan))));
  }

  /** Collects the Iceberg tables by their columns; whether any table is read. */
  private static boolean collect(LogicalPlan plan, Map<ExprId, PartitionLayout> layouts) {
    PartitionLayout layout = PartitionLayout.of(plan);
    if (layout == null) layout = PartitionLayout.ofMetadata(plan);
    boolean reads = plan instanceof DataSourceV2Relation;
    if (layout != null) put(plan, layout, layouts);
    if (plan instanceof Filter) {
      LogicalPlan child = ((Filter) plan).child();
      PartitionLayout filtered = PartitionConditions.layout(((Filter) plan).condition(), child);
      if (filtered != null) put(child, filtered, layouts);
      if (filtered != null) return true;
    }
    if (plan instanceof OverwriteByExpression)
      reads |= collect((LogicalPlan) ((OverwriteByExpression) plan).table(), layouts);
    if (plan instanceof RowLevelWrite) collect((LogicalPlan) ((RowLevelWrite) plan).originalTable(), layouts);
    for (LogicalPlan child : ScalaTypes.list(plan.children())) reads |= collect(child, layouts);
    return reads;
  }

  private static void put(LogicalPlan relation, PartitionLayout layout, Map<ExprId, PartitionLayout> layouts) {
    for (Attribute column : ScalaTypes.list(relation.output())) {
      // A relation may be in a plan twice, with conditions of its own in each place.
      boolean isAgain = layouts.containsKey(column.exprId());
      if (isAgain) layout.limitTo(null);
      layouts.put(column.exprId(), layout);
    }
  }

  private static boolean isNode(Object node) {
    return node instanceof Filter || node instanceof Join || node instanceof RowLevelWrite || node instanceof Aggregate;
  }

  /** The operators that Iceberg decides by bounds, and reads that need the reader of rows. */
  static class Nodes implements ScalaTypes.Replacement {
    private final Map<ExprId, PartitionLayout> layouts;
    private final Set<ExprId> referenced;

    Nodes(Map<ExprId, PartitionLayout> layouts, Set<ExprId> referenced) {
      this.layouts = layouts;
      this.referenced = referenced;
    }

    @Override
    public boolean isFor(Object node) {
      return isNode(node) || node instanceof DataSourceV2Relation || node instanceof OverwriteByExpression;
    }

    @Override
    public Object of(Object node) {
      if (node instanceof DataSourceV2Relation) return read((DataSourceV2Relation) node);
      if (node instanceof Aggregate) return ((LogicalPlan) node).mapExpressions(new AggregateColumns(layouts));
      boolean isOverwrite = node instanceof OverwriteByExpression, isWrite = node instanceof RowLevelWrite;
      LogicalPlan result =
        (LogicalPlan) ((LogicalPlan) node).mapExpressions(new NullPartitions(layouts, isWrite, isOverwrite));
      if (!isOverwrite) return result.mapExpressions(new Conditions(layouts, isWrite));
      refuse(((OverwriteByExpression) node).deleteExpr());
      return result;
    }

    /** A write that replaces rows by a filter leaves the choice of files to Iceberg alone. */
    private void refuse(Expression e) {
      for (Expression child : ScalaTypes.list(e.children()))
        if (PartitionLayout.isColumn(child) && mayLoseNulls(child, layouts))
          throw new UnsupportedOperationException(((PartitionLayout) layouts.get(PartitionLayout.root(child)))
              .unreliable(child, List.of(BoundFault.unknown())));
      if (e instanceof IsNull || e instanceof IsNotNull) return;
      Expression compared = WrappedConstants.column(e);
      PartitionLayout layout = compared == null ? null : (PartitionLayout) layouts.get(PartitionLayout.root(compared));
      if (WrappedConstants.isIn(e, layout)) throw new UnsupportedOperationException(layout.overflowing(compared));
      if (WrappedConstants.isSince1970(e) && areAll(faults(compared, layouts), BoundFault.Kind.EARLY)) return;
      List<BoundFault> faults = PartitionLayout.isColumn(e) ? faults(e, layouts) : List.of();
      if (!faults.isEmpty())
        throw new UnsupportedOperationException(
          ((PartitionLayout) layouts.get(PartitionLayout.root(e))).unreliable(e, faults));
      for (Expression child : ScalaTypes.list(e.children())) refuse(child);
    }

    private Object read(DataSourceV2Relation relation) {
      PartitionLayout layout = PartitionLayout.of(relation);
      if (layout != null) layout.prepareRead();
      if ("false".equals(relation.options().get(VECTORIZED))) return relation;
      boolean isTimed = false;
      for (Attribute column : ScalaTypes.list(relation.output())) {
        isTimed |= referenced.contains(column.exprId()) && column.dataType().catalogString().contains("timestamp");
        // The same with what is known of the condition above it.
        if (layout != null) layout = (PartitionLayout) layouts.get(column.exprId());
      }
      boolean isWrong =
        isTimed && (layout == null ? PartitionLayout.needsRowReader(relation) : layout.needsRowReader());
      return isWrong ? Relations.with(relation, VECTORIZED, "false") : relation;
    }
  }

  /** Wraps the columns with a fault in a condition. */
  static class Conditions extends ScalaTypes.Mapping<Expression, Expression> {
    private final Map<ExprId, PartitionLayout> layouts;

    private final boolean isWrite;

    /** isWrite: whether Iceberg decides whether to delete whole files by the condition; it fails on metadata columns. */
    Conditions(Map<ExprId, PartitionLayout> layouts, boolean isWrite) {
      this.layouts = layouts;
      this.isWrite = isWrite;
    }

    @Override
    protected Object of(Object o) {
      Expression e = (Expression) o;
      // The guard decides about calls.
      if (e instanceof KnownNullable || Calls.function(e) != null) return e;
      if (PartitionLayout.isColumn(e)) {
        boolean isWithheld = isWrite && (isMetadata(e, layouts) || mayLoseNulls(e, layouts));
        isWithheld |= !faults(e, layouts).isEmpty();
        return isWithheld ? new KnownNullable(e) : e;
      }
      if (isOfMisorderedConstants(e)) return e.mapChildren(new Withheld());
      Expression inRanges = withoutBloomFilters(e);
      if (inRanges != null) return inRanges;
      if (isRightForUuids(e)) return e;
      Expression kept = whereWrapped(e);
      if (kept != null) return kept;
      boolean isNullTest = e instanceof IsNull || e instanceof IsNotNull;
      if (isNullTest && PartitionLayout.isColumn((Expression) e.children().apply(0))) {
        Expression column = (Expression) e.children().apply(0);
        boolean isWithheld = isWrite && isMetadata(column, layouts) || counts(faults(column, layouts));
        if (e instanceof IsNull || isWrite) isWithheld |= mayLoseNulls(column, layouts);
        return isWithheld ? e.mapChildren(new Withheld()) : e;
      }
      for (Expression child : ScalaTypes.list(e.children()))
        if (ImpliedLiteral.isBound(child)) return e; // added by Prune, which knows the faults
      return e.mapChildren(this);
    }

    /** A comparison that Iceberg would take wrongly because of partition values that overflow; null if it is none. */
    private Expression whereWrapped(Expression e) {
      Expression column = null;
      for (Expression child : ScalaTypes.list(e.children()))
        if (column == null && PartitionLayout.isColumn(child)) column = child;
      if (column == null || !(e instanceof BinaryComparison) && !(e instanceof In) && !(e instanceof InSet))
        return null;
      boolean isAdded = false;
      for (Expression child : ScalaTypes.list(e.children())) isAdded |= ImpliedLiteral.isBound(child);
      if (isAdded) return null;
      PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
      if (WrappedConstants.isIn(e, layout)) return (Expression) e.mapChildren(new Withheld());
      List<BoundFault> faults = faults(column, layouts);
      if (faults.isEmpty()) return null;
      if (WrappedConstants.isSince1970(e) && areAll(faults, BoundFault.Kind.EARLY)) return e;
      return areAll(faults, BoundFault.Kind.WRAPPED) ? WrappedConstants.keeping(e, layout) : null;
    }

    private boolean isOfMisorderedConstants(Expression e) {
      Expression column = OrcConstants.column(e);
      return column != null && OrcConstants.isIn(e, (PartitionLayout) layouts.get(PartitionLayout.root(column)));
    }

    /** A comparison that Iceberg would take wrongly because of Bloom filters; null if it is none. */
    private Expression withoutBloomFilters(Expression e) {
      Expression column = BloomFilters.ARE_CUT ? OrcConstants.column(e) : null;
      if (column == null) return null;
      PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
      if (!BloomComparisons.isIn(e, layout)) return null;
      Expression ranges = faults(column, layouts).isEmpty() ? BloomComparisons.ranges(e, layout) : null;
      return ranges == null ? (Expression) e.mapChildren(new Withheld()) : ranges;
    }

    /** Whether a comparison can only concern uuids for which Iceberg decides it rightly, or is none of the scan's. */
    private boolean isRightForUuids(Expression e) {
      boolean isEqual = e instanceof EqualTo || e instanceof EqualNullSafe;
      if (!isEqual && !(e instanceof In) && !(e instanceof InSet)) return false;
      boolean isOfUuids = false, isOrdered = true;
      int columns = 0;
      for (Expression child : ScalaTypes.list(e.children())) {
        if (!PartitionLayout.isColumn(child)) {
          if (child.references().size() > 0) return false;
          continue;
        }
        columns++;
        for (BoundFault fault : faults(child, layouts)) {
          if (!fault.isOfUuids()) return false;
          isOfUuids = true;
          isOrdered &= fault.kind == BoundFault.Kind.UUID_RANGE;
        }
      }
      // Two columns are compared by a join.
      return isOfUuids && (isOrdered || isEqual && columns == 2);
    }
  }

  /** Hides columns from Iceberg. */
  static class Withheld extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object e) {
      return PartitionLayout.isColumn((Expression) e) ? new KnownNullable((Expression) e) : e;
    }
  }

  /** Wraps the columns with a fault in the aggregates that Iceberg answers from its metadata. */
  static class AggregateColumns extends ScalaTypes.Mapping<Expression, Expression> {
    private final Map<ExprId, PartitionLayout> layouts;

    AggregateColumns(Map<ExprId, PartitionLayout> layouts) { this.layouts = layouts; }

    @Override
    protected Object of(Object o) {
      Expression e = (Expression) o;
      boolean isBound = e instanceof Min || e instanceof Max;
      if (!isBound && !(e instanceof Count)) return e.mapChildren(this);
      Expression column = e.children().isEmpty() ? null : (Expression) e.children().apply(0);
      if (column == null || !PartitionLayout.isColumn(column)) return e;
      // Iceberg looks for the column in the table's schema.
      if (isMetadata(column, layouts) || isBound && isCut(column)) return e.mapChildren(new Withheld());
      List<BoundFault> faults = faults(column, layouts);
      boolean isRight = true;
      for (BoundFault fault : faults) isRight &= fault.isOfPartitions();
      return isRight || !isBound && !counts(faults) ? e : e.mapChildren(new Conditions(layouts, false));
    }
  }

  /** Whether bounds may be cut. Of texts, Iceberg asks the table's properties, which files may be older than. */
  private static boolean isCut(Expression column) {
    return column.dataType() instanceof BinaryType || column.dataType() instanceof StringType;
  }

  /** Whether a column is one of Iceberg's metadata columns. */
  private static boolean isMetadata(Expression column, Map<ExprId, PartitionLayout> layouts) {
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    return layout != null && layout.isMetadata(column);
  }

  private static boolean mayLoseNulls(Expression column, Map<ExprId, PartitionLayout> layouts) {
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    return layout != null && layout.mayLoseNulls(column);
  }

  private static boolean areAll(List<BoundFault> faults, BoundFault.Kind kind) {
    for (BoundFault fault : faults)
      if (fault.kind != kind) return false;
    return true;
  }

  private static boolean counts(List<BoundFault> faults) {
    for (BoundFault fault : faults)
      if (fault.kind == BoundFault.Kind.COUNTS || fault.kind == BoundFault.Kind.UNWRITTEN
        || fault.kind == BoundFault.Kind.UNKNOWN)
        return true;
    return false;
  }

  private static List<BoundFault> faults(Expression column, Map<ExprId, PartitionLayout> layouts) {
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    if (layout == null) return List.of();
    List<BoundFault> faults = layout.faults(column);
    if (!faults.isEmpty()) layout.report(column, faults);
    return faults;
  }

  /** Tests a comparison on a table whose only file has sound bounds, and on one where they are the wrong way round. */
  @Override
  protected String check(SparkSession session) {
    String query = "SELECT x FROM t WHERE x < 10";
    try {
      String sound = TrialTable.scan(session, query, TrialTable.of(new int[][] {{5, 20}}));
      if (!sound.contains("x < 10")) return "it withholds a filter on a column with sound bounds: " + sound;
      String inverted = TrialTable.scan(session, query, TrialTable.of(new int[][] {{20, 5}}));
      return inverted.contains("x < 10") ? "it lets a filter on a column with wrong bounds into the scan: " + inverted
                                         : null;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}

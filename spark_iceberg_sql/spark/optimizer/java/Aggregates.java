package sparkicebergsql;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;

/**
 * Answers count, min, max and DISTINCT from the metadata of the files whose rows are all aggregated, group by group, and
 * leaves a scan of the files of the other groups.
 */
public class Aggregates extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    // Spark still looks for the aggregation in a correlated subquery: a count over no rows is 0 there.
    if (plan instanceof Subquery && ((Subquery) plan).correlated()) return plan;
    // From below, so that a result is not rewritten again.
    return (LogicalPlan) plan.transformUp(ScalaTypes.rewrite(new Nodes()));
  }

  /** The aggregations of relations, and the conditions that compare with an answer. */
  static class Nodes implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      return node instanceof Aggregate || node instanceof Filter;
    }

    @Override
    public Object of(Object node) {
      if (node instanceof Filter) return withValues((Filter) node);
      try {
        AggregateShape shape = AggregateShape.of((Aggregate) node);
        SnapshotFiles files = shape == null ? null : SnapshotFiles.of(shape.relation);
        LogicalPlan answer = files == null ? null : new AggregateAnswer(shape, files).plan();
        return answer == null ? node : answer;
      } catch (RuntimeException e) {
        return node; // an error here must not fail the query
      }
    }
  }

  /** A filter with the values of subqueries that are literals; Spark 3.5 does not replace them itself. */
  private static Filter withValues(Filter filter) {
    Expression condition = (Expression) filter.condition().transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object e) {
        return e instanceof ScalarSubquery && literal((ScalarSubquery) e) != null;
      }

      @Override
      public Object of(Object e) {
        return literal((ScalarSubquery) e);
      }
    }));
    return condition == filter.condition() ? filter : new Filter(condition, filter.child());
  }

  /** The value of a subquery that reads nothing; null for any other. */
  private static Expression literal(ScalarSubquery subquery) {
    LogicalPlan plan = (LogicalPlan) subquery.plan();
    boolean isRow = plan instanceof Project && ((Project) plan).child() instanceof OneRowRelation;
    if (!isRow || subquery.isCorrelated() || ((Project) plan).projectList().size() != 1) return null;
    Object value = ((Project) plan).projectList().apply(0);
    return value instanceof Alias && ((Alias) value).child() instanceof Literal ? ((Alias) value).child() : null;
  }

  /** Tests it on a table of two files with five rows, one for each of two values of a column. */
  @Override
  protected String check(SparkSession session) {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("check", new HashMap<String, String>());
    catalog.createNamespace(Namespace.of(new String[] {"check"}));
    Types.NestedField x = Types.NestedField.optional(1, "x", Types.IntegerType.get());
    Schema schema = new Schema(new Types.NestedField[] {x, Types.NestedField.optional(2, "y", Types.LongType.get())});
    PartitionSpec spec = PartitionSpec.builderFor(schema).identity("x").build();
    Table table = catalog.createTable(TableIdentifier.of(new String[] {"check", "aggregates"}), schema, spec);
    table.newAppend().appendFile(file(spec, 3, 9)).appendFile(file(spec, 4, 7)).commit();
    LogicalPlan relation = Relations.of(table);
    Expression group = (Expression) relation.output().apply(0);
    Expression greatest = new Max((Expression) relation.output().apply(1)).toAggregateExpression();
    List<NamedExpression> results = List.of((NamedExpression) group, AggregateAnswer.alias(greatest, "y"));
    LogicalPlan plan = Aggregation.of(List.of(group), results, relation);
    plan = (LogicalPlan) session.sessionState().optimizer().execute(plan);
    if (!(plan instanceof LocalRelation)) return "it reads the files of groups that metadata answers: " + plan;
    StringBuilder rows = new StringBuilder();
    for (InternalRow row : ScalaTypes.list(((LocalRelation) plan).data()))
      rows.append(row.getInt(0)).append(':').append(row.getLong(1)).append(' ');
    return rows.toString().equals("3:9 4:7 ") ? null : "its answer is " + rows;
  }

  /** A file that is not read. */
  private static org.apache.iceberg.DataFile file(PartitionSpec spec, int x, long y) {
    Map<Integer, ByteBuffer> bounds = Map.of(2, Conversions.toByteBuffer(Types.LongType.get(), Long.valueOf(y)));
    Map<Integer, Long> counts = Map.of(1, 5L, 2, 5L), nulls = Map.of(1, 0L, 2, 0L);
    return DataFiles.builder(spec)
      .withPath(FileBounds.TRIAL + x + ".parquet")
      .withFormat(FileFormat.PARQUET)
      .withFileSizeInBytes(1)
      .withPartitionPath("x=" + x)
      .withMetrics(new Metrics(Long.valueOf(5), null, counts, nulls, null, bounds, bounds))
      .build();
  }
}

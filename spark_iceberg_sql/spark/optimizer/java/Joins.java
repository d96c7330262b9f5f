package sparkicebergsql;

import java.nio.ByteBuffer;
import java.util.ArrayList;
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
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataTypes;

/**
 * Prunes the probe side of a join by the values of its build side, once adaptive execution has broadcast them: rows
 * that join none of them need not be read.
 */
public class Joins extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    try {
      // The value of rand(7) for a row depends on the files that are read.
      return !hasBuildSide(plan) || !plan.deterministic() ? plan : narrowed(plan, new ArrayList<Expression>());
    } catch (RuntimeException e) {
      return plan; // an error here must not fail the query
    } catch (ReflectiveOperationException e) {
      return plan;
    }
  }

  @Override
  protected SparkPlan rewriteStage(SparkPlan stage) {
    try {
      return StageScans.narrowed(stage);
    } catch (RuntimeException e) {
      return stage;
    } catch (ReflectiveOperationException e) {
      return stage;
    }
  }

  /** Whether a join's build side has been broadcast. */
  private static boolean hasBuildSide(LogicalPlan plan) {
    if (plan instanceof Join
      && (BuildSide.of(((Join) plan).left()) != null || BuildSide.of(((Join) plan).right()) != null))
      return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (hasBuildSide(child)) return true;
    return false;
  }

  /** A plan whose scans read only rows for which the predicates on its output may be true. */
  private static LogicalPlan narrowed(LogicalPlan plan, List<Expression> predicates)
    throws ReflectiveOperationException {
    if (NarrowedScan.isCandidate(plan))
      return predicates.isEmpty() ? plan : NarrowedScan.of((DataSourceV2ScanRelation) plan, predicates);
    List<LogicalPlan> children = new ArrayList<>();
    boolean isChanged = false;
    for (int i = 0; i < plan.children().size(); i++) {
      LogicalPlan child = (LogicalPlan) plan.children().apply(i);
      List<Expression> below = JoinSides.below(plan, i, predicates);
      if (plan instanceof Join) below.addAll(JoinSides.implied((Join) plan, i));
      LogicalPlan result = narrowed(child, below);
      isChanged |= result != child;
      children.add(result);
    }
    return isChanged ? (LogicalPlan) plan.withNewChildren(ScalaTypes.seq(children)) : plan;
  }

  @Override
  protected String check(SparkSession session) {
    try {
      InMemoryCatalog catalog = new InMemoryCatalog();
      catalog.initialize("check", new HashMap<String, String>());
      catalog.createNamespace(Namespace.of(new String[] {"check"}));
      return fault(session, table(catalog));
    } catch (ReflectiveOperationException e) {
      return "a scan cannot be built again: " + e;
    }
  }

  /** A table with one file, whose values of x are from 0 to 20. */
  private static Table table(InMemoryCatalog catalog) {
    Types.NestedField x = Types.NestedField.optional(1, "x", Types.IntegerType.get());
    Table table =
      catalog.createTable(TableIdentifier.of(new String[] {"check", "x"}), new Schema(new Types.NestedField[] {x}));
    Metrics metrics = new Metrics(Long.valueOf(2), null, Map.of(1, 2L), Map.of(1, 0L), null, bound(0), bound(20));
    table.newAppend()
      .appendFile(DataFiles.builder(PartitionSpec.unpartitioned())
          .withPath(FileBounds.TRIAL + "joins")
          .withFormat(FileFormat.AVRO)
          .withFileSizeInBytes(1)
          .withMetrics(metrics)
          .build())
      .commit();
    return table;
  }

  private static Map<Integer, ByteBuffer> bound(int value) {
    return Map.of(1, Conversions.toByteBuffer(Types.IntegerType.get(), Integer.valueOf(value)));
  }

  /** The scan for x below 10 must keep this filter when it receives another one. */
  private static String fault(SparkSession session, Table table) throws ReflectiveOperationException {
    LogicalPlan plan = Relations.of(table);
    Expression x = (Expression) plan.output().apply(0);
    plan = new Filter(new LessThan(x, new Literal(Integer.valueOf(10), DataTypes.IntegerType)), plan);
    plan = (LogicalPlan) session.sessionState().optimizer().execute(plan);
    while (!(plan instanceof DataSourceV2ScanRelation)) plan = (LogicalPlan) plan.children().apply(0);
    if (!NarrowedScan.isCandidate(plan)) return "a scan is not of the expected class: " + plan;
    DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) plan;
    x = (Expression) scanned.output().apply(0);
    List<Expression> predicates =
      List.of(new EqualTo(x, new ImpliedLiteral(Integer.valueOf(3), DataTypes.IntegerType)));
    String text = NarrowedScan.of(scanned, predicates).scan().description();
    boolean isNarrowed = text.contains("x < 10") && text.contains("x = 3");
    return isNarrowed ? null : "a scan cannot be built again with one more filter: " + text;
  }
}

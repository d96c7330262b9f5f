package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwritePartitionsDynamic;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Some;
import scala.Tuple2;
import scala.collection.Iterable;

/**
 * Has a write sort its rows by partition where a writer for each partition could fill the memory, or warns of it, as of
 * an overwrite that would replace other rows than those of the partitions it writes, before it runs.
 *
 * <p>MERGE, UPDATE and DELETE are told so by their operation, since Spark has no options for them.
 *
 * <p>The sort would take the place of the query's own order, so a query with ORDER BY keeps that and gets the warning;
 * and Iceberg refuses rows that Spark's order does not keep together, which OpenWriters excludes.
 */
public class Writers extends SwitchedRule {
  /** The write of one batch of a stream, which no interface tells from other plans. */
  private static final String BATCH = ".WriteToMicroBatchDataSource";

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    boolean isBatch = plan.getClass().getName().endsWith(BATCH);
    if (!(plan instanceof V2WriteCommand) && !isBatch) return plan;
    DataSourceV2Relation relation = target(plan);
    PartitionLayout target = PartitionLayout.of(relation);
    if (target == null) return plan;
    int optionsAt = optionsIndex(plan);
    CaseInsensitiveStringMap options =
      new CaseInsensitiveStringMap(allOptions(plan, optionsAt, relation.options().asCaseSensitiveMap()));
    SparkSession session = SparkSession.active();
    String name = PartitionLayout.name(relation);
    if (plan instanceof OverwritePartitionsDynamic)
      DynamicOverwrite.report(session, name, target.table(), ((SparkTable) relation.table()).branch(), options);
    LogicalPlan query = isBatch ? (LogicalPlan) plan.children().apply(0) : ((V2WriteCommand) plan).query();
    boolean isRowLevel = plan instanceof RowLevelWrite;
    if (isRowLevel && ((RowLevelWrite) plan).table() != relation) return plan; // an unknown kind of plan
    if (isRowLevel && RowLevelOption.isIn(((RowLevelWrite) plan).operation())) return plan; // it is sorted
    boolean isSorted =
      OpenWriters.areReplaced(session, name, target.table(), options, plan, query, optionsAt >= 0 || isRowLevel);
    if (!isSorted) return plan;
    return isRowLevel ? sorted(plan, relation) : sorted(plan, relation, optionsAt);
  }

  /** The table's relation; null if it is another source. */
  private static DataSourceV2Relation target(LogicalPlan plan) {
    for (int i = 0; i < plan.productArity(); i++) {
      Object argument = plan.productElement(i);
      if (argument instanceof Some) argument = ((Some<?>) argument).get();
      if (argument instanceof DataSourceV2Relation) return (DataSourceV2Relation) argument;
    }
    return null;
  }

  /** The index of the options among a plan's arguments; -1 if it takes none, as MERGE does. */
  private static int optionsIndex(LogicalPlan plan) {
    for (int i = 0; i < plan.productArity(); i++)
      if (plan.productElement(i) instanceof scala.collection.immutable.Map) return i;
    return -1;
  }

  /** In the options that Spark reads: DataFrame writers give the relation the same, SQL gives one of the two some. */
  @SuppressWarnings("unchecked")
  private static LogicalPlan sorted(LogicalPlan plan, DataSourceV2Relation relation, int optionsAt) {
    boolean isOfRelation = !relation.options().isEmpty();
    scala.collection.immutable.Map<String, String> options =
      (scala.collection.immutable.Map<String, String>) plan.productElement(optionsAt);
    LogicalPlan result = plan;
    if (!isOfRelation || !options.isEmpty())
      result = replaced(result, options, options.updated(OpenWriters.OPTION, "false"));
    if (!isOfRelation) return result;
    return replaced(result, relation, Relations.with(relation, OpenWriters.OPTION, "false"));
  }

  /** With an option in the operation: the write is its, and so is the scan, which Spark finds by the same object. */
  private static LogicalPlan sorted(LogicalPlan plan, DataSourceV2Relation relation) {
    final RowLevelOperationTable table = (RowLevelOperationTable) relation.table();
    final RowLevelOperationTable other =
      new RowLevelOperationTable(table.table(), RowLevelOption.of(table.operation(), OpenWriters.OPTION, "false"));
    LogicalPlan result = (LogicalPlan) plan.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof DataSourceV2Relation && ((DataSourceV2Relation) node).table() == table;
      }

      @Override
      public Object of(Object node) {
        return replaced((LogicalPlan) node, table, other);
      }
    }));
    return replaced(result, relation, replaced((LogicalPlan) relation, table, other));
  }

  /** A plan with another argument in the place of one. */
  private static LogicalPlan replaced(LogicalPlan plan, Object argument, Object other) {
    Object[] arguments = new Object[plan.productArity()];
    for (int i = 0; i < arguments.length; i++) {
      Object present = plan.productElement(i);
      arguments[i] = present == argument ? other : present;
      if (present instanceof Some && ((Some<?>) present).get() == argument) arguments[i] = new Some<Object>(other);
    }
    return (LogicalPlan) plan.makeCopy(arguments);
  }

  /** The options of the target's relation, and those that an INSERT, an overwrite or a CREATE TABLE AS SELECT has. */
  private static Map<String, String> allOptions(LogicalPlan plan, int optionsAt, Map<String, String> ofRelation) {
    Map<String, String> options = new HashMap<>(ofRelation);
    if (optionsAt < 0) return options;
    for (Object entry : ScalaTypes.list((Iterable<?>) plan.productElement(optionsAt)))
      options.put((String) ((Tuple2<?, ?>) entry)._1(), (String) ((Tuple2<?, ?>) entry)._2());
    return options;
  }

  /** Compares writes of an unknown number of rows into empty tables partitioned by an integer and by a boolean. */
  @Override
  protected String check(SparkSession session) {
    double integerBytes = bytes(session, Types.IntegerType.get()),
           booleanBytes = bytes(session, Types.BooleanType.get());
    boolean isFanout = booleanBytes > 0; // or the session's settings sort the rows
    return (isFanout ? integerBytes > 100 * booleanBytes : integerBytes == 0)
      ? null
      : integerBytes + " bytes for each integer, " + booleanBytes + " for each boolean";
  }

  private static double bytes(SparkSession session, Type type) {
    Schema schema = new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "x", type)});
    Table table = empty(session, schema, PartitionSpec.builderFor(schema).identity("x").build());
    return new OpenWriters(session, "", table, CaseInsensitiveStringMap.empty(), new WrittenRows(null, null)).bytes();
  }
}

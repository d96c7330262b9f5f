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
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Tuple2;
import scala.collection.Iterable;

/**
 * Warns of a write that could fill the memory with open writers, and of an overwrite that would replace other rows than
 * those of the partitions it writes, before it runs.
 *
 * <p>It changes no plan. The sort by partition that the warning proposes takes the place of the query's own order, and
 * Iceberg refuses rows that Spark's order does not keep together: that is the table owner's decision.
 */
public class Writers extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    if (!(plan instanceof V2WriteCommand)) return plan;
    V2WriteCommand write = (V2WriteCommand) plan;
    PartitionLayout target = PartitionLayout.of(write.table());
    if (target == null) return plan;
    DataSourceV2Relation relation = (DataSourceV2Relation) write.table();
    CaseInsensitiveStringMap options =
      new CaseInsensitiveStringMap(allOptions(plan, relation.options().asCaseSensitiveMap()));
    String name = PartitionLayout.name(relation);
    OpenWriters.report(SparkSession.active(), name, target.table(), options, write.query());
    if (plan instanceof OverwritePartitionsDynamic)
      DynamicOverwrite.report(
        SparkSession.active(), name, target.table(), ((SparkTable) relation.table()).branch(), options);
    return plan;
  }

  /** The options of the target's relation, and those that an INSERT, an overwrite or a CREATE TABLE AS SELECT has. */
  private static Map<String, String> allOptions(LogicalPlan plan, Map<String, String> ofRelation) {
    Map<String, String> options = new HashMap<>(ofRelation);
    for (int i = 0; i < plan.productArity(); i++)
      if (plan.productElement(i) instanceof scala.collection.immutable.Map)
        for (Object entry : ScalaTypes.list((Iterable<?>) plan.productElement(i)))
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
    return new OpenWriters(session, "", table, CaseInsensitiveStringMap.empty(), null).bytes();
  }
}

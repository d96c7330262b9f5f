package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.AppendData;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Tuple2;
import scala.collection.Iterable;

/**
 * Sorts the rows of a write by partition where a writer for each partition could fill the memory.
 *
 * <p>Iceberg keeps a writer open for each partition of a task. It asks for sorted rows instead if the write option
 * `fanout-enabled` is false, which this rule adds before Spark asks the table how its rows have to be ordered. The sort
 * takes the place of one that the query asks for, and Iceberg refuses rows that Spark's order does not keep together, so
 * the rule is off unless a session turns it on.
 */
public class Writers extends SwitchedRule {
  @Override
  protected String initially() {
    return "false";
  }

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    if (!(plan instanceof V2WriteCommand)) return plan;
    V2WriteCommand write = (V2WriteCommand) plan;
    PartitionLayout target = PartitionLayout.of(write.table());
    if (target == null) return plan;
    DataSourceV2Relation relation = (DataSourceV2Relation) write.table();
    Map<String, String> ofRelation = relation.options().asCaseSensitiveMap(), ofWrite = writeOptions(plan);
    boolean isRowLevel = ofWrite == null;
    if (isRowLevel && SparkSession.active().version().startsWith("3.")) return plan; // takes no options for these
    Map<String, String> options = new HashMap<>(ofRelation);
    if (!isRowLevel) options.putAll(ofWrite);
    CaseInsensitiveStringMap all = new CaseInsensitiveStringMap(options);
    if (!OpenWriters.exceedHeap(SparkSession.active(), target.table(), all, write.query())) return plan;
    // If the relation and the write both have options, Spark requires them to be equal. The relation stays as it is
    // where it can, since Spark compares it with cached plans in order to refresh them.
    boolean inRelation = isRowLevel || !ofRelation.isEmpty();
    boolean inWrite = !isRowLevel && (ofRelation.isEmpty() || !ofWrite.isEmpty());
    Object[] arguments = new Object[plan.productArity()];
    for (int i = 0; i < arguments.length; i++) {
      Object argument = plan.productElement(i);
      if (argument == relation && inRelation) argument = Relations.with(relation, OpenWriters.OPTION, "false");
      if (isOptions(argument) && inWrite) {
        ofWrite.put(OpenWriters.OPTION, "false");
        argument = PythonUtils.toScalaMap(ofWrite);
      }
      arguments[i] = argument;
    }
    return (LogicalPlan) plan.makeCopy(arguments);
  }

  /** The options of an INSERT, an overwrite or a CREATE TABLE AS SELECT; null for DELETE, UPDATE and MERGE. */
  private static Map<String, String> writeOptions(LogicalPlan plan) {
    for (int i = 0; i < plan.productArity(); i++) {
      if (!isOptions(plan.productElement(i))) continue;
      Map<String, String> options = new HashMap<>();
      for (Object entry : ScalaTypes.list((Iterable<?>) plan.productElement(i)))
        options.put((String) ((Tuple2<?, ?>) entry)._1(), (String) ((Tuple2<?, ?>) entry)._2());
      return options;
    }
    return null;
  }

  private static boolean isOptions(Object argument) { return argument instanceof scala.collection.immutable.Map; }

  /** Tests writes of an unknown number of rows into empty tables partitioned by an integer and by a boolean. */
  @Override
  protected String check(SparkSession session) {
    LogicalPlan many = optimized(session, Types.IntegerType.get()), few = optimized(session, Types.BooleanType.get());
    if (!isSorted(many)) return "it keeps a writer open for each integer: " + many;
    return isSorted(few) ? "it sorts rows by a boolean: " + few : null;
  }

  private static LogicalPlan optimized(SparkSession session, Type type) {
    Schema schema = new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "x", type)});
    Table table = empty(session, schema, PartitionSpec.builderFor(schema).identity("x").build());
    DataSourceV2Relation target = (DataSourceV2Relation) Relations.of(table);
    LogicalPlan write = AppendData.byPosition(target, Relations.of(table), PythonUtils.toScalaMap(new HashMap<>()));
    return (LogicalPlan) session.sessionState().optimizer().execute(write);
  }

  private static boolean isSorted(LogicalPlan plan) {
    if (plan instanceof Sort) return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (isSorted(child)) return true;
    return false;
  }
}

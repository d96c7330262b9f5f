package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.plans.logical.AddPartitionField;
import org.apache.spark.sql.catalyst.plans.logical.CreateTable;
import org.apache.spark.sql.catalyst.plans.logical.CreateTableAsSelect;
import org.apache.spark.sql.catalyst.plans.logical.DropPartitionField;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReplacePartitionField;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTable;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTableAsSelect;
import org.apache.spark.sql.catalyst.plans.logical.TableSpecBase;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.expressions.IdentityTransform;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;

/**
 * A resolved command as an equivalent statement, without what does not affect partitioning: comments and most
 * properties.
 */
public class CommandText {
  private CommandText() {}

  /** Whether a plan is one of the commands that the gate checks. */
  public static boolean isFor(Object plan) {
    return plan instanceof CreateTable || plan instanceof ReplaceTable || plan instanceof CreateTableAsSelect
      || plan instanceof ReplaceTableAsSelect || plan instanceof AddPartitionField || plan instanceof DropPartitionField
      || plan instanceof ReplacePartitionField;
  }

  /** The query of a CREATE or REPLACE TABLE AS SELECT; null for the other commands. */
  public static LogicalPlan query(LogicalPlan plan) {
    if (plan instanceof CreateTableAsSelect) return ((CreateTableAsSelect) plan).query();
    return plan instanceof ReplaceTableAsSelect ? ((ReplaceTableAsSelect) plan).query() : null;
  }

  /** The format that USING names; null if it names none. */
  public static String provider(LogicalPlan plan) {
    TableSpecBase spec = null;
    if (plan instanceof CreateTable) spec = ((CreateTable) plan).tableSpec();
    if (plan instanceof ReplaceTable) spec = ((ReplaceTable) plan).tableSpec();
    if (plan instanceof CreateTableAsSelect) spec = ((CreateTableAsSelect) plan).tableSpec();
    if (plan instanceof ReplaceTableAsSelect) spec = ((ReplaceTableAsSelect) plan).tableSpec();
    return spec != null && spec.provider().isDefined() ? (String) spec.provider().get() : null;
  }

  /** The statement; null if the plan's table is not resolved. */
  public static String of(LogicalPlan plan) {
    if (plan instanceof CreateTable) {
      CreateTable command = (CreateTable) plan;
      return table(command.ignoreIfExists() ? "CREATE TABLE IF NOT EXISTS" : "CREATE TABLE", command.name(),
        command.tableSchema(), command.tableSpec(), command.partitioning());
    }
    if (plan instanceof ReplaceTable) {
      ReplaceTable command = (ReplaceTable) plan;
      return table(command.orCreate() ? "CREATE OR REPLACE TABLE" : "REPLACE TABLE", command.name(),
        command.tableSchema(), command.tableSpec(), command.partitioning());
    }
    if (plan instanceof CreateTableAsSelect) {
      CreateTableAsSelect command = (CreateTableAsSelect) plan;
      return table(command.ignoreIfExists() ? "CREATE TABLE IF NOT EXISTS" : "CREATE TABLE", command.name(), null,
        command.tableSpec(), command.partitioning());
    }
    if (plan instanceof ReplaceTableAsSelect) {
      ReplaceTableAsSelect command = (ReplaceTableAsSelect) plan;
      return table(command.orCreate() ? "CREATE OR REPLACE TABLE" : "REPLACE TABLE", command.name(), null,
        command.tableSpec(), command.partitioning());
    }
    if (plan instanceof AddPartitionField) {
      AddPartitionField command = (AddPartitionField) plan;
      return alter(command.table()) + " ADD PARTITION FIELD " + term(command.transform()) + alias(command.name());
    }
    if (plan instanceof DropPartitionField) {
      DropPartitionField command = (DropPartitionField) plan;
      return alter(command.table()) + " DROP PARTITION FIELD " + term(command.transform());
    }
    ReplacePartitionField command = (ReplacePartitionField) plan;
    return alter(command.table()) + " REPLACE PARTITION FIELD " + term(command.transformFrom()) + " WITH "
      + term(command.transformTo()) + alias(command.name());
  }

  private static String table(
    String verb, LogicalPlan name, StructType columns, TableSpecBase spec, Seq<Transform> partitioning) {
    if (!(name instanceof ResolvedIdentifier)) return null;
    ResolvedIdentifier identifier = (ResolvedIdentifier) name;
    StringBuilder text =
      new StringBuilder(verb).append(" ").append(name(identifier.catalog().name(), identifier.identifier()));
    if (columns != null) {
      text.append(" (");
      for (int i = 0; i < columns.length(); i++)
        text.append(i == 0 ? "\n  " : ",\n  ")
          .append(quoted(columns.apply(i).name()))
          .append(" ")
          .append(columns.apply(i).dataType().sql())
          .append(columns.apply(i).nullable() ? "" : " NOT NULL");
      text.append(columns.isEmpty() ? ")" : "\n)");
    }
    if (spec.provider().isDefined()) text.append("\nUSING ").append((String) spec.provider().get());
    List<String> terms = new ArrayList<>();
    for (Transform transform : ScalaTypes.list(partitioning)) terms.add(term(transform));
    if (!terms.isEmpty()) text.append("\nPARTITIONED BY (").append(String.join(", ", terms)).append(")");
    List<String> properties = new ArrayList<>();
    for (Tuple2<String, String> entry : ScalaTypes.list(spec.properties())) {
      String key = (String) entry._1(), value = (String) entry._2();
      if (key.equals("format-version") || key.startsWith("write."))
        properties.add(literal(key) + " = " + literal(value));
    }
    if (!properties.isEmpty()) text.append("\nTBLPROPERTIES (").append(String.join(", ", properties)).append(")");
    return columns == null ? text.append("\nAS SELECT * FROM data_frame").toString() : text.toString();
  }

  private static String name(String catalog, Identifier identifier) {
    StringBuilder text = new StringBuilder(quoted(catalog));
    for (String part : identifier.namespace()) text.append(".").append(quoted(part));
    return text.append(".").append(quoted(identifier.name())).toString();
  }

  private static String alter(Seq<String> table) {
    List<String> parts = new ArrayList<>();
    for (String part : ScalaTypes.list(table)) parts.add(quoted(part));
    return "ALTER TABLE " + String.join(".", parts);
  }

  /** As in Spark: a column by its name, other transforms as calls. */
  private static String term(Transform transform) {
    return transform instanceof IdentityTransform ? transform.references()[0].describe() : transform.describe();
  }

  private static String alias(Option<String> name) {
    return name.isDefined() ? " AS " + quoted((String) name.get()) : "";
  }

  private static String quoted(String part) {
    return part.matches("[A-Za-z_][A-Za-z0-9_]*") ? part : "`" + part.replace("`", "``") + "`";
  }

  private static String literal(String text) { return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"; }
}

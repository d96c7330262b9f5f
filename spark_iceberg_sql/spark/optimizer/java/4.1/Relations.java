package sparkicebergsql;

import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.Option;

/** Relations of Iceberg tables. */
public final class Relations {
  private Relations() {}

  public static LogicalPlan of(Table table) {
    return DataSourceV2Relation.create(new SparkTable(table), Option.empty(), Option.empty());
  }
}

package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;

/** Relations of Iceberg tables. */
public final class Relations {
  private Relations() {}

  public static LogicalPlan of(Table table) {
    return DataSourceV2Relation.create(new SparkTable(table), Option.empty(), Option.empty());
  }

  /** The relation, reading only this snapshot, whatever is committed; null if that is not possible. */
  public static DataSourceV2Relation pinned(DataSourceV2Relation relation, Snapshot snapshot) {
    // From Iceberg 1.12 on, a SparkTable keeps the snapshot with which it was loaded.
    Long id = ((SparkTable) relation.table()).snapshotId();
    return id != null && id.longValue() == snapshot.snapshotId() ? relation : null;
  }

  /** The same relation, read with one more option. */
  public static DataSourceV2Relation with(DataSourceV2Relation relation, String option, String value) {
    Map<String, String> options = new HashMap<>(relation.options().asCaseSensitiveMap());
    options.put(option, value);
    DataSourceV2Relation result = relation.copy(relation.table(), relation.output(), relation.catalog(),
      relation.identifier(), new CaseInsensitiveStringMap(options), relation.timeTravelSpec());
    ((LogicalPlan) result).copyTagsFrom(relation);
    return result;
  }
}

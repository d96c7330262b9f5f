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
    return DataSourceV2Relation.create(new SparkTable(table, false), Option.empty(), Option.empty());
  }

  /** The relation, reading only this snapshot, whatever is committed; null if that is not possible. */
  public static DataSourceV2Relation pinned(DataSourceV2Relation relation, Snapshot snapshot) {
    SparkTable table = (SparkTable) relation.table();
    if (table.snapshotId() != null || FileBounds.snapshotId(relation.options()) != null) return relation;
    // A read by snapshot id has the snapshot's columns.
    Integer schema = snapshot.schemaId();
    if (table.branch() != null || schema == null || schema.intValue() != table.table().schema().schemaId()) return null;
    return with(relation, FileBounds.SNAPSHOT_ID, String.valueOf(snapshot.snapshotId()));
  }

  /** The same relation, read with one more option. */
  public static DataSourceV2Relation with(DataSourceV2Relation relation, String option, String value) {
    Map<String, String> options = new HashMap<>(relation.options().asCaseSensitiveMap());
    options.put(option, value);
    DataSourceV2Relation result = relation.copy(relation.table(), relation.output(), relation.catalog(),
      relation.identifier(), new CaseInsensitiveStringMap(options));
    ((LogicalPlan) result).copyTagsFrom(relation);
    return result;
  }
}

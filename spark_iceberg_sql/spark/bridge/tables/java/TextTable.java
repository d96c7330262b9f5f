package sparkicebergsql;

import java.util.EnumSet;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * An Iceberg table with columns of types that Spark does not have, as text. Iceberg's own readers for Spark fail on
 * files with such columns, its generic readers do not.
 */
public class TextTable implements SupportsRead, SupportsMetadataColumns {
  private final org.apache.iceberg.Table table;
  private final Schema schema;
  private final StructType columns;
  private final Long snapshot;

  /** schema: what is read, as Iceberg's JSON. columns: the same in Spark. snapshot: null for the current one. */
  public TextTable(org.apache.iceberg.Table table, String schema, StructType columns, Long snapshot) {
    this.table = table;
    this.schema = SchemaParser.fromJson(schema);
    this.columns = columns;
    this.snapshot = snapshot;
  }

  /** A metadata column of Iceberg. */
  private static class Hidden implements MetadataColumn {
    private final String name;
    private final DataType type;

    Hidden(String name, DataType type) {
      this.name = name;
      this.type = type;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public DataType dataType() {
      return type;
    }

    @Override
    public boolean isNullable() {
      return false;
    }
  }

  public org.apache.iceberg.Table table() { return table; }

  /** As of Iceberg's own table for Spark: the snapshot that is read. */
  public Long snapshotId() { return snapshot; }

  @Override
  public MetadataColumn[] metadataColumns() {
    return new MetadataColumn[] {new Hidden("_file", DataTypes.StringType), new Hidden("_pos", DataTypes.LongType),
      new Hidden("_spec_id", DataTypes.IntegerType)};
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  @SuppressWarnings("deprecation") // older lines have nothing else
  public StructType schema() {
    return columns;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return EnumSet.of(TableCapability.BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return new TextScan(table, schema, columns, snapshot, options.get("split-size"));
  }

  @Override
  public String toString() {
    return name();
  }
}

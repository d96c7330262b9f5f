package sparkicebergsql;

import org.apache.iceberg.spark.functions.SparkFunctions;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * A partition transform as Spark needs it to compare the partitionings of two tables: by its name, without its values.
 *
 * <p>Those of Iceberg's catalogs do not include truncate, and Spark takes some that differ for compatible. This one is
 * the same only for the same transform of the same type. Executors do not have this class, and never call it: some
 * operators are serialized with the scans below them, and then it is a function of Iceberg's.
 */
public class PartitionFunction implements BoundFunction {
  private static final long serialVersionUID = 1L;
  private final String name;
  private final DataType source, result;

  public PartitionFunction(String name, DataType source, DataType result) {
    this.name = name;
    this.source = source;
    this.result = result;
  }

  @Override
  public DataType[] inputTypes() {
    return new DataType[] {source};
  }

  @Override
  public DataType resultType() {
    return result;
  }

  @Override
  public String name() {
    return name;
  }

  protected Object writeReplace() { return SparkFunctions.load("iceberg_version").bind(new StructType()); }

  @Override
  public String canonicalName() {
    return "spark-iceberg-sql." + name + "(" + source.catalogString() + ")";
  }
}

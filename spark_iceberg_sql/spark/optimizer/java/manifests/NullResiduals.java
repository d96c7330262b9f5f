package sparkicebergsql;

import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.expressions.StrictMetricsEvaluator;
import org.apache.iceberg.types.Types;

/**
 * Whether this Iceberg fails where it evaluates a filter on a null partition value, to find what is left of the filter
 * in such a file, or on a field that may be null. A file that the filter excludes is not reached.
 */
public final class NullResiduals {
  /** NullPointerException for LIKE 'prefix%' and NOT LIKE. */
  public static final boolean PREFIX_FAILS = fails(Expressions.startsWith("x", "a"));
  /** The same for IN and NOT IN. */
  public static final boolean IN_FAILS = fails(Expressions.in("x", new Object[] {"a", "b"}));

  /** The same for IS NULL of the field of a struct in DELETE, for any file. */
  public static final boolean NESTED_FAILS = nestedFails();

  private NullResiduals() {}

  private static boolean nestedFails() {
    Types.NestedField field = Types.NestedField.optional(2, "a", Types.IntegerType.get());
    Types.StructType struct = Types.StructType.of(new Types.NestedField[] {field});
    Schema schema = new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "s", struct)});
    DataFiles.Builder file = DataFiles.builder(PartitionSpec.unpartitioned()).withPath("memory:/nested.parquet");
    try {
      new StrictMetricsEvaluator(schema, Expressions.isNull("s.a"))
        .eval(file.withFileSizeInBytes(1).withRecordCount(1).build());
      return false;
    } catch (RuntimeException e) {
      return true;
    }
  }

  private static boolean fails(Expression filter) {
    Schema schema = new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "x", Types.StringType.get())});
    PartitionSpec spec = PartitionSpec.builderFor(schema).identity("x").build();
    try {
      ResidualEvaluator.of(spec, filter, true).residualFor(GenericRecord.create(spec.partitionType()));
      return false;
    } catch (RuntimeException e) {
      return true;
    }
  }
}

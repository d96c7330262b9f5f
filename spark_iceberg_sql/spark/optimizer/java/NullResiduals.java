package sparkicebergsql;

import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.types.Types;

/**
 * Whether this Iceberg fails where it evaluates a filter on a null partition value, to find what is left of the filter
 * in such a file. A file that the filter excludes is not reached.
 */
public final class NullResiduals {
  /** NullPointerException for LIKE 'prefix%' and NOT LIKE. */
  public static final boolean PREFIX_FAILS = fails(Expressions.startsWith("x", "a"));
  /** The same for IN and NOT IN. */
  public static final boolean IN_FAILS = fails(Expressions.in("x", new Object[] {"a", "b"}));

  private NullResiduals() {}

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

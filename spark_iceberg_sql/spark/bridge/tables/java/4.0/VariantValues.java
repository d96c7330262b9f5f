package sparkicebergsql;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.iceberg.variants.Variant;
import org.apache.spark.unsafe.types.VariantVal;

/** Iceberg's variants as Spark's. */
final class VariantValues {
  private VariantValues() {}

  static Object of(Object variant) {
    Variant value = (Variant) variant;
    byte[] metadata = new byte[value.metadata().sizeInBytes()];
    value.metadata().writeTo(ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN), 0);
    byte[] content = new byte[value.value().sizeInBytes()];
    value.value().writeTo(ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN), 0);
    return new VariantVal(content, metadata);
  }
}

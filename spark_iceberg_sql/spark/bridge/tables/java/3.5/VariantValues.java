package sparkicebergsql;

import org.apache.iceberg.variants.Variant;

/** Iceberg's variants, which Spark does not have before 4.0. */
final class VariantValues {
  private VariantValues() {}

  static Object of(Variant value) { throw new UnsupportedOperationException("a variant has no text before Spark 4.0"); }
}

package sparkicebergsql;

/** Iceberg's variants, which Spark does not have before 4.0. */
final class VariantValues {
  private VariantValues() {}

  static Object of(Object value) { throw new UnsupportedOperationException("a variant has no text before Spark 4.0"); }
}

package sparkicebergsql;

import org.apache.iceberg.types.Types;

/** The value of a column in the files that were written before it was added: null, before Iceberg 1.8. */
public final class ColumnDefault {
  private ColumnDefault() {}

  /** False. */
  public static boolean isStated(Types.NestedField field) { return false; }

  /** An optional integer with the id 1. */
  public static Types.NestedField trial() { return Types.NestedField.optional(1, "x", Types.IntegerType.get()); }
}

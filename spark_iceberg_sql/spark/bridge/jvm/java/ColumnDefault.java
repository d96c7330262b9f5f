package sparkicebergsql;

import org.apache.iceberg.types.Types;

/** The value of a column in the files that were written before it was added. */
public final class ColumnDefault {
  private ColumnDefault() {}

  /** Whether it is another than null. */
  public static boolean isStated(Types.NestedField field) { return field.initialDefault() != null; }

  /** An optional integer with the id 1, whose default is 7. */
  @SuppressWarnings("deprecation") // by a Literal, from Iceberg 1.10 on
  public static Types.NestedField trial() {
    Types.NestedField.Builder field = Types.NestedField.optional("x").withId(1).ofType(Types.IntegerType.get());
    return field.withInitialDefault((Object) Integer.valueOf(7)).build();
  }
}

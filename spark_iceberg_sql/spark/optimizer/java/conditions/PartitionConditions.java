package sparkicebergsql;

import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** What a condition says of the partitions of the rows for which it is true, as Iceberg takes it: see ManifestScope. */
public final class PartitionConditions {
  /** Of the texts of all conjuncts, by which what is known is kept. */
  private static final int LIMIT = 4000;

  private PartitionConditions() {}

  /**
   * The table of a relation below a filter, of which a query needs to know the manifests that its condition leaves; of one
   * whose rows are replaced, all. Null if it is no relation of an Iceberg table.
   */
  public static PartitionLayout layout(Expression condition, LogicalPlan relation) {
    PartitionLayout layout = PartitionLayout.of(relation);
    if (layout != null && ((DataSourceV2Relation) relation).table() instanceof SparkTable)
      layout.limitTo(scope(condition, layout));
    return layout;
  }

  /** Null if the manifests are all. */
  private static ManifestScope scope(Expression condition, PartitionLayout layout) {
    // Spark passes no part of another condition to a scan.
    if (!condition.deterministic()) return null;
    ManifestScope scope = new ManifestScope(layout.table(), SQLConf.get().caseSensitiveAnalysis(), false);
    boolean isAny = false;
    for (Expression conjunct : Predicates.conjuncts(condition)) {
      Attribute column = conjunct.references().size() == 1 ? (Attribute) conjunct.references().head() : null;
      if (column == null || !PartitionLayout.isColumn(column) || layout.transformsOf(column).isEmpty()) continue;
      Types.NestedField field = layout.field(column), current = layout.table().schema().findField(column.name());
      String text = text(conjunct);
      if (field == null || !field.equals(current) || text == null) continue;
      org.apache.iceberg.expressions.Expression converted = FileCondition.converted(conjunct);
      if (converted == null) continue;
      scope.add(field, converted, text);
      isAny = true;
    }
    return isAny && scope.key().length() < LIMIT ? scope : null;
  }

  /**
   * A text that no other conjunct of the column has; null if this is not of comparisons with constants, of which a time
   * is since 1970 and one whose hours an INT holds.
   */
  private static String text(Expression e) {
    if (e instanceof AttributeReference) return "column";
    if (e instanceof Literal) return constant(((Literal) e).dataType(), ((Literal) e).value());
    boolean isComparison = e instanceof EqualTo || e instanceof LessThan || e instanceof LessThanOrEqual
      || e instanceof GreaterThan || e instanceof GreaterThanOrEqual || e instanceof In;
    if (!isComparison && !(e instanceof And) && !(e instanceof Or)) return null;
    StringBuilder text = new StringBuilder(e.getClass().getSimpleName()).append('(');
    for (Expression child : ScalaTypes.list(e.children())) {
      String part = text(child);
      if (part == null) return null;
      text.append(part).append(',');
    }
    return text.append(')').toString();
  }

  private static String constant(DataType type, Object value) {
    boolean isTimestamp = type.equals(DataTypes.TimestampType) || type.equals(DataTypes.TimestampNTZType);
    boolean isTime = isTimestamp || type.equals(DataTypes.DateType);
    if (value == null || isTime && ((Number) value).longValue() < 0) return null;
    if (isTimestamp && ((Number) value).longValue() > Transform.HOURS / 2) return null;
    String text = value.toString();
    return type.catalogString() + " " + text.length() + " " + text;
  }
}

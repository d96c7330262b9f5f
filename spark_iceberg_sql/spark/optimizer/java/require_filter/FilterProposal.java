package sparkicebergsql;

import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** The conditions that choose partitions of a table: on the newest of each field, as the manifest list has it. */
public final class FilterProposal {
  private final Table table;
  private final PartitionSpec spec;
  private final Snapshot snapshot;

  /** snapshot: that is read; null if it is not known. */
  public FilterProposal(Table table, PartitionSpec spec, Snapshot snapshot) {
    this.table = table;
    this.spec = spec;
    this.snapshot = snapshot;
  }

  /** The partition fields as DDL writes them: `days(ts)` or `bucket(16, id)`. */
  public String fields() {
    List<String> names = new ArrayList<>();
    for (PartitionField field : PartitionFilters.fields(spec)) names.add("`" + ddl(field) + "`");
    return String.join(" or ", names);
  }

  private String ddl(PartitionField field) {
    Transform transform = Transform.ofSpec(field.transform().toString());
    String column = Outgoing.visible(source(field)), number = field.transform().toString().replaceAll("[^0-9]", "");
    if (transform == null) return column;
    return transform.function + "(" + (transform.hasParameter ? number + ", " : "") + column + ")";
  }

  private String source(PartitionField field) {
    String current = table.schema().findColumnName(field.sourceId());
    return current == null ? spec.schema().findColumnName(field.sourceId()) : current;
  }

  /** One clause for each source column: `WHERE ts >= DATE '2024-05-01', or WHERE id = ...`. */
  public String clauses() {
    Map<Integer, String> clauses = new LinkedHashMap<>();
    for (PartitionField field : PartitionFilters.fields(spec))
      clauses.putIfAbsent(Integer.valueOf(field.sourceId()), "WHERE " + condition(field));
    return String.join(", or ", new ArrayList<String>(clauses.values()));
  }

  private String condition(PartitionField field) {
    String column = source(field);
    if (!column.matches("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*"))
      column = "`" + Outgoing.visible(column).replace("`", "``") + "`";
    Transform transform = Transform.ofSpec(field.transform().toString());
    boolean isTime = transform != null && transform.unit != null;
    String literal = isTime ? day(field) : field.transform().isIdentity() ? literal(field) : null;
    return column + (isTime ? " >= " : " = ") + (literal == null ? "..." : literal);
  }

  /** The first day of the newest year, month or day. */
  @SuppressWarnings("unchecked")
  private String day(PartitionField field) {
    Object newest = newest(field);
    if (newest == null) return null;
    org.apache.iceberg.transforms.Transform<Object, Object> transform =
      (org.apache.iceberg.transforms.Transform<Object, Object>) field.transform();
    String text = transform.toHumanString(type(field), newest);
    if (text.length() < 10) text += "-01-01".substring(0, text.length() == 4 ? 6 : 3);
    return text.matches("\\d{4}-\\d\\d-\\d\\d.*") ? "DATE '" + text.substring(0, 10) + "'" : null;
  }

  private String literal(PartitionField field) {
    Object newest = newest(field);
    if (newest == null) return null;
    switch (type(field).typeId()) {
      case STRING:
        return Outgoing.literal(newest.toString());
      case BOOLEAN:
      case INTEGER:
      case LONG:
      case DECIMAL:
        return newest.toString();
      case DATE:
        return "DATE '" + LocalDate.ofEpochDay(((Integer) newest).longValue()) + "'";
      default:
        return null;
    }
  }

  private Type type(PartitionField field) {
    return ((Types.NestedField) spec.partitionType().fields().get(spec.fields().indexOf(field))).type();
  }

  /** The greatest value of a field in the snapshot's files, of any spec that has it; null if it is not known. */
  private Object newest(PartitionField field) {
    Object newest = null;
    if (snapshot == null) return null;
    Comparator<Object> order = Comparators.forType(type(field).asPrimitiveType());
    for (ManifestFile manifest : snapshot.dataManifests(table.io())) {
      int index = index(field, (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId())));
      if (index < 0 || manifest.partitions() == null) continue;
      ByteBuffer bound = ((ManifestFile.PartitionFieldSummary) manifest.partitions().get(index)).upperBound();
      Object value = bound == null ? null : Conversions.fromByteBuffer(type(field), bound);
      if (newest == null || value != null && order.compare(newest, value) < 0) newest = value;
    }
    return newest;
  }

  /** The position of the same transform of the same column in a spec; -1 if it has none. */
  private static int index(PartitionField field, PartitionSpec spec) {
    for (int i = 0; i < spec.fields().size(); i++) {
      PartitionField other = (PartitionField) spec.fields().get(i);
      if (other.sourceId() == field.sourceId() && other.transform().equals(field.transform())) return i;
    }
    return -1;
  }
}

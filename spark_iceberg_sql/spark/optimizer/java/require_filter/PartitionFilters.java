package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.And;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Projections;

/** Whether the filters of a scan choose partitions of a table. */
public final class PartitionFilters {
  private PartitionFilters() {}

  /** The fields by whose values files can be left out. */
  public static List<PartitionField> fields(PartitionSpec spec) {
    List<PartitionField> fields = new ArrayList<>();
    for (PartitionField field : spec.fields())
      if (!field.transform().isVoid()) fields.add(field);
    return fields;
  }

  /**
   * Whether a filter is a condition on partition values, if only a part of it.
   *
   * @param snapshot that is read; null if it is not known
   */
  public static boolean choose(
    List<Expression> filters, Table table, PartitionSpec spec, Snapshot snapshot, boolean isCaseSensitive) {
    if (fields(spec).isEmpty()) return false;
    for (Expression filter : filters)
      if (chooses(filter, table, spec, snapshot, isCaseSensitive)) return true;
    return false;
  }

  private static boolean chooses(
    Expression filter, Table table, PartitionSpec spec, Snapshot snapshot, boolean isCaseSensitive) {
    if (filter.op() == Expression.Operation.AND)
      return chooses(((And) filter).left(), table, spec, snapshot, isCaseSensitive)
        || chooses(((And) filter).right(), table, spec, snapshot, isCaseSensitive);
    // Spark adds it to each join and comparison: it leaves out one partition at most.
    if (filter.op() == Expression.Operation.NOT_NULL) return false;
    // A query of an old snapshot has the names of that snapshot's schema, and of a branch those of today's.
    Schema schema = schema(table, snapshot);
    Boolean result = schema == null ? null : projects(filter, spec, schema, isCaseSensitive);
    if (result == null) result = projects(filter, spec, table.schema(), isCaseSensitive);
    return Boolean.TRUE.equals(result);
  }

  private static Schema schema(Table table, Snapshot snapshot) {
    return snapshot == null || snapshot.schemaId() == null ? null : (Schema) table.schemas().get(snapshot.schemaId());
  }

  /** Whether a filter implies a condition on partition values; null if it is not a filter on this schema. */
  private static Boolean projects(Expression filter, PartitionSpec spec, Schema schema, boolean isCaseSensitive) {
    try {
      PartitionSpec bound = spec.toUnbound().bind(schema);
      Expression projected = Projections.inclusive(bound, isCaseSensitive).project(filter);
      return Boolean.valueOf(projected.op() != Expression.Operation.TRUE);
    } catch (RuntimeException other) {
      return null;
    }
  }
}

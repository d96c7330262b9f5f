package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;

/** A part of a condition whose value is a partition field's value: an identity column, or the call of a transform. */
public final class PartitionFieldTerm {
  private static final String IDENTITY = Transforms.identity().toString();
  /** In the form in which a comparison with it is pushed into the scan. */
  public final Expression expression;
  private final int sourceId;
  private final String transform;

  private PartitionFieldTerm(Expression expression, int sourceId, String transform) {
    this.expression = expression;
    this.sourceId = sourceId;
    this.transform = transform;
  }

  /** Null if no spec of the table has such a field, or its values cannot be relied on. */
  public static PartitionFieldTerm of(Object e, SnapshotFiles files) {
    Expression call = Calls.call(e);
    boolean isColumn = call == null && PartitionLayout.isColumn((Expression) e);
    Expression column = isColumn ? (Expression) e : call == null ? null : PartitionLayout.source(call);
    if (column == null) return null;
    String transform = isColumn ? IDENTITY : PartitionLayout.transform(e);
    Types.NestedField field = files.field(column);
    if (field == null || !SnapshotFiles.isKnown(field.type())) return null;
    if (!isColumn && (transform == null || !files.layout.isCorrectFor(call))) return null;
    PartitionFieldTerm term =
      new PartitionFieldTerm(isColumn ? column : Calls.offered(call), field.fieldId(), transform);
    for (PartitionSpec spec : files.table.specs().values())
      if (term.index(spec) >= 0) return term;
    return null;
  }

  /** The position of its field in a spec's tuples; -1 if the spec has none. */
  public int index(PartitionSpec spec) {
    List<PartitionField> fields = spec.fields();
    for (int i = 0; i < fields.size(); i++) {
      PartitionField field = (PartitionField) fields.get(i);
      if (field.sourceId() == sourceId && field.transform().toString().equals(transform)) return i;
    }
    return -1;
  }

  private boolean is(PartitionFieldTerm other) {
    return sourceId == other.sourceId && transform.equals(other.transform);
  }

  /** The terms in an expression, each once, added to a list. */
  public static void collect(Expression e, SnapshotFiles files, List<PartitionFieldTerm> into) {
    PartitionFieldTerm term = of(e, files);
    if (term == null) {
      for (Expression child : ScalaTypes.list(e.children())) collect(child, files, into);
      return;
    }
    for (PartitionFieldTerm collected : into)
      if (collected.is(term)) return;
    into.add(term);
  }

  /** An expression over a row of the terms' values; all else that it refers to is left. */
  public static Expression bound(Expression e, final SnapshotFiles files, final List<PartitionFieldTerm> terms) {
    return (Expression) e.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof KnownNullable || Calls.call(node) != null || PartitionLayout.isColumn((Expression) node);
      }

      @Override
      public Object of(Object node) {
        PartitionFieldTerm term = PartitionFieldTerm.of(node, files);
        if (term == null) return node;
        for (int i = 0; i < terms.size(); i++)
          if (((PartitionFieldTerm) terms.get(i)).is(term))
            return new BoundReference(i, ((Expression) node).dataType(), true);
        return node;
      }
    }));
  }

  /** Whether the tuples of a spec have the values of all terms. */
  public static boolean hasAll(List<PartitionFieldTerm> terms, PartitionSpec spec) {
    for (PartitionFieldTerm term : terms)
      if (term.index(spec) < 0) return false;
    return true;
  }

  /** The values of the terms in a tuple, which has all of them. */
  public static List<Object> values(List<PartitionFieldTerm> terms, PartitionSpec spec, StructLike tuple) {
    List<Object> values = new ArrayList<>();
    for (PartitionFieldTerm term : terms) {
      int index = term.index(spec);
      values.add(SnapshotFiles.value(type(spec, index), tuple.get(index, Object.class)));
    }
    return values;
  }

  private static Type type(PartitionSpec spec, int index) {
    return ((Types.NestedField) spec.partitionType().fields().get(index)).type();
  }
}

package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * A column in the partitioning of a scan that stands for a key which is computed from it: to_date(ts), or a field of a
 * struct.
 *
 * <p>Spark looks for the columns of a partitioning among the keys of a join, as expressions with the same canonical form.
 * This one has that of the key. It is never evaluated. Executors do not have this class: some operators are serialized with
 * the scans below them, and then it is a plain column.
 */
public class KeyColumn extends AttributeReference {
  private static final long serialVersionUID = 1L;
  private final transient Expression key;

  private KeyColumn(Attribute column, Expression key) {
    super(column.name(), key.dataType(), key.nullable(), column.metadata(), column.exprId(), column.qualifier());
    this.key = key;
  }

  /** The column itself if it is the key. key: deterministic, with at least one column. */
  public static Attribute of(Expression key) {
    if (key instanceof Attribute) return (Attribute) key;
    return new KeyColumn((Attribute) key.references().toSeq().apply(0), key);
  }

  @Override
  public Expression canonicalized() {
    return key.canonicalized();
  }

  protected Object writeReplace() {
    return new AttributeReference(name(), dataType(), nullable(), metadata(), exprId(), qualifier());
  }
}

package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.internal.SQLConf;
import scala.collection.immutable.Seq;

/**
 * What a rule has concluded from conditions on versions of tables: a query that is planned again, as of a dashboard,
 * needs no metadata read for it.
 *
 * <p>Invariant: the key has all that a conclusion depends on: the table's metadata file and snapshot, the condition with
 * its literals and types, the columns' names, and the session's settings.
 */
public final class ConclusionCache {
  private final Map<List<Object>, List<Expression>> kept;

  /** A rule's own way to its conclusions. */
  public interface Rule {
    List<Expression> conclusions();
  }

  public ConclusionCache(int size) { kept = FileBounds.cache(size); }

  /**
   * The conclusions, computed if they are not in the cache.
   *
   * @param version of the table, see PartitionLayout.version; null if it cannot be known
   * @param conditions the expressions that the conclusions are drawn from
   * @param columns those that the conditions and the conclusions may refer to
   * @param other what the conclusions depend on besides
   */
  public List<Expression> of(
    String version, List<Expression> conditions, Seq<Attribute> columns, List<Object> other, Rule rule) {
    if (version == null) return rule.conclusions();
    List<Object> key = new ArrayList<>(other);
    key.add(version);
    for (Attribute column : ScalaTypes.list(columns)) key.add(column.name());
    // Columns are replaced by their index, so that the key is the same for the next query.
    for (Expression condition : conditions) key.add(renamed(condition, columns, true));
    key.add(SQLConf.get().getAllConfs());
    List<Expression> cached = (List<Expression>) kept.get(key);
    if (cached == null) {
      cached = new ArrayList<>();
      for (Expression e : rule.conclusions()) cached.add(renamed(e, columns, true));
      kept.put(key, cached);
    }
    List<Expression> result = new ArrayList<>();
    for (Expression e : cached) result.add(renamed(e, columns, false));
    return result;
  }

  private static Expression renamed(Expression e, final Seq<Attribute> columns, final boolean away) {
    return (Expression) e.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object x) {
        return away ? x instanceof AttributeReference : x instanceof IndexedColumn;
      }

      @Override
      public Object of(Object x) {
        if (!away) return columns.apply(((IndexedColumn) x).ordinal());
        Attribute column = (Attribute) x;
        for (int i = 0; i < columns.size(); i++)
          if (((Attribute) columns.apply(i)).exprId().equals(column.exprId())) return new IndexedColumn(i, column);
        return x;
      }
    }));
  }
}

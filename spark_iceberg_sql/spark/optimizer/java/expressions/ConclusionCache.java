package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InSet;
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
  /** In bytes, roughly: of a node of an expression, and of an entry of the settings, which many keys share. */
  private static final long NODE = 300, SETTING = 16;
  private final KeptFacts kept;

  /** A rule's own way to its conclusions. */
  public interface Rule {
    List<Expression> conclusions();
  }

  /** rule: whose conclusions it has. */
  public ConclusionCache(String rule) { kept = new KeptFacts(rule); }

  /**
   * The conclusions, computed if they are not in the cache.
   *
   * @param version of the table, see PartitionLayout.version; null if it cannot be known
   * @param conditions the expressions that the conclusions are drawn from
   * @param columns those that the conditions and the conclusions may refer to
   * @param other what the conclusions depend on besides
   */
  @SuppressWarnings("unchecked")
  public List<Expression> of(
    String version, List<Expression> conditions, Seq<Attribute> columns, List<Object> other, Rule rule) {
    if (version == null) return rule.conclusions();
    List<Object> key = key(version, conditions, columns, other);
    List<Expression> cached = (List<Expression>) kept.get(key);
    if (cached == null) {
      cached = new ArrayList<>();
      for (Expression e : rule.conclusions()) cached.add(renamed(e, columns, true));
      kept.put(key, cached, bytes(version, conditions) + bytes("", cached));
    }
    List<Expression> result = new ArrayList<>();
    for (Expression e : cached) result.add(renamed(e, columns, false));
    return result;
  }

  /** What is the same for the next query with the same conclusions; arguments as in {@link #of}. */
  public static List<Object> key(
    String version, List<Expression> conditions, Seq<Attribute> columns, List<Object> other) {
    List<Object> key = new ArrayList<>(other);
    key.add(version);
    for (Attribute column : ScalaTypes.list(columns)) key.add(column.name());
    // Columns are replaced by their index.
    for (Expression condition : conditions) key.add(renamed(condition, columns, true));
    key.add(SQLConf.get().getAllConfs());
    return key;
  }

  /** Of such a key, roughly. */
  public static long bytes(String version, List<Expression> conditions) {
    long bytes = KeptFacts.bytes(version) + SETTING * SQLConf.get().getAllConfs().size();
    for (Expression e : conditions) bytes += NODE * nodes(e);
    return bytes;
  }

  private static long nodes(Expression e) {
    long nodes = e instanceof InSet ? ((InSet) e).hset().size() : 1;
    for (Expression child : ScalaTypes.list(e.children())) nodes += nodes(child);
    return nodes;
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

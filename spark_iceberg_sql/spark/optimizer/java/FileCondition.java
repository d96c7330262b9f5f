package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Predicate;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.expressions.StrictMetricsEvaluator;
import org.apache.iceberg.expressions.UnboundPredicate;
import org.apache.iceberg.expressions.UnboundTerm;
import org.apache.iceberg.spark.SparkV2Filters;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy$;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;

/**
 * The condition of a filter on a snapshot's files: which files have no row that satisfies it, and which have no other.
 *
 * <p>Invariant: {@link #isTrueFor} holds only if the condition is true, and not null, for all rows of the file.
 */
public final class FileCondition {
  private static final Set<Expression.Operation> NEGATIONS = Set.of(Expression.Operation.NOT_EQ,
    Expression.Operation.NOT_IN, Expression.Operation.NOT_STARTS_WITH, Expression.Operation.NOT_NAN);
  private final SnapshotFiles files;
  private final boolean caseSensitive = SQLConf.get().caseSensitiveAnalysis();
  private final List<Certain> certain = new ArrayList<>();
  private Expression inclusive = Expressions.alwaysTrue();
  /** Whether all conjuncts can be decided for a file. */
  private boolean isDecidable = true;

  /** condition: null if there is none. */
  public FileCondition(SnapshotFiles files, org.apache.spark.sql.catalyst.expressions.Expression condition) {
    this.files = files;
    if (condition == null) return;
    List<org.apache.spark.sql.catalyst.expressions.Expression> conjuncts = new ArrayList<>();
    split(condition, conjuncts);
    for (org.apache.spark.sql.catalyst.expressions.Expression conjunct : conjuncts) {
      Expression converted = converted(conjunct);
      if (converted != null) inclusive = Expressions.and(inclusive, converted);
      if (converted != null && isTrusted(conjunct)) certain.add(new Certain(converted));
      else isDecidable = false;
    }
  }

  /** Adds the conjuncts of a condition to a list. */
  public static void split(org.apache.spark.sql.catalyst.expressions.Expression condition,
    List<org.apache.spark.sql.catalyst.expressions.Expression> into) {
    if (condition instanceof org.apache.spark.sql.catalyst.expressions.And) {
      split(((org.apache.spark.sql.catalyst.expressions.And) condition).left(), into);
      split(((org.apache.spark.sql.catalyst.expressions.And) condition).right(), into);
    } else {
      into.add(condition);
    }
  }

  /** A conjunct as Iceberg evaluates it; null if it does not. */
  public static Expression converted(org.apache.spark.sql.catalyst.expressions.Expression conjunct) {
    Option<org.apache.spark.sql.connector.expressions.filter.Predicate> predicate =
      DataSourceV2Strategy$.MODULE$.translateFilterV2(conjunct);
    if (predicate.isEmpty()) return null;
    try {
      return SparkV2Filters.convert((org.apache.spark.sql.connector.expressions.filter.Predicate) predicate.get());
    } catch (RuntimeException e) {
      return null; // a literal that Iceberg cannot take: the scan leaves the filter to Spark as well
    }
  }

  /** By this, the scan skips files; some conjuncts may be missing. */
  public Expression inclusive() { return inclusive; }

  /** Whether some file may satisfy it with all its rows. */
  public boolean isDecidable() { return isDecidable; }

  /** Whether the condition is true for all rows of a file, whose bounds of the condition's columns are loaded. */
  public boolean isTrueFor(DataFile file) {
    if (!isDecidable) return false;
    for (Certain c : certain)
      if (!c.isTrueFor(file)) return false;
    return true;
  }

  /** Whether files can be decided by the bounds of all columns. */
  private boolean isTrusted(org.apache.spark.sql.catalyst.expressions.Expression conjunct) {
    for (Attribute column : ScalaTypes.list(conjunct.references().toSeq())) {
      Types.NestedField field = files.field(column);
      if (field == null || !SnapshotFiles.isKnown(field.type())) return false;
    }
    return true;
  }

  /** A filter that is true where it is so in SQL: Iceberg takes `a <> 1` for true where a is null. */
  private static Expression inSql(Expression e) {
    if (e instanceof org.apache.iceberg.expressions.And) {
      org.apache.iceberg.expressions.And both = (org.apache.iceberg.expressions.And) e;
      return Expressions.and(inSql(both.left()), inSql(both.right()));
    }
    if (e instanceof org.apache.iceberg.expressions.Or) {
      org.apache.iceberg.expressions.Or either = (org.apache.iceberg.expressions.Or) e;
      return Expressions.or(inSql(either.left()), inSql(either.right()));
    }
    if (!(e instanceof UnboundPredicate) || !NEGATIONS.contains(e.op())) return e;
    return Expressions.and(Expressions.notNull((UnboundTerm<?>) ((Predicate<?, ?>) e).term()), e);
  }

  /** One conjunct: by the bounds of files, and by their partition values. */
  private final class Certain {
    private final Expression filter;
    private final StrictMetricsEvaluator bounds;
    private final Map<Integer, Evaluator> partitions = new HashMap<>();

    Certain(Expression converted) {
      filter = inSql(Expressions.rewriteNot(converted));
      bounds = new StrictMetricsEvaluator(schema(), filter, caseSensitive);
    }

    private Schema schema() { return files.table.schema(); }

    boolean isTrueFor(DataFile file) {
      if (bounds.eval(file)) return true;
      Integer id = Integer.valueOf(file.specId());
      if (!partitions.containsKey(id)) {
        PartitionSpec spec = (PartitionSpec) files.table.specs().get(id);
        Expression projected = Projections.strict(spec, caseSensitive).project(filter);
        partitions.put(id, new Evaluator(spec.partitionType(), projected, caseSensitive));
      }
      return ((Evaluator) partitions.get(id)).eval(file.partition());
    }
  }
}

package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
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
 * A conjunct that Iceberg evaluates, on a snapshot's files: whether it is true, and not null, for all rows of a file, by
 * the file's bounds or its partition values.
 */
public final class FileCondition {
  private static final Set<Expression.Operation> TRUE_OF_NULL =
    Set.of(Expression.Operation.NOT_EQ, Expression.Operation.NOT_IN, Expression.Operation.NOT_STARTS_WITH,
      Expression.Operation.NOT_NAN, Expression.Operation.LT, Expression.Operation.LT_EQ);
  private final SnapshotFiles files;
  private final boolean caseSensitive = SQLConf.get().caseSensitiveAnalysis();
  /** By this, the scan skips files. */
  public final Expression inclusive;
  /** Whether files can be decided by the bounds of all its columns. */
  public final boolean isDecidable;
  private final Expression strict;
  private final StrictMetricsEvaluator bounds;
  private final Map<Integer, Evaluator> partitions = new HashMap<>();

  private FileCondition(SnapshotFiles files, Expression converted, boolean isDecidable) {
    this.files = files;
    this.isDecidable = isDecidable;
    inclusive = converted;
    strict = inSql(Expressions.rewriteNot(converted));
    bounds = isDecidable ? new StrictMetricsEvaluator(files.table.schema(), strict, caseSensitive) : null;
  }

  /** Null if Iceberg does not evaluate it. */
  public static FileCondition of(SnapshotFiles files, org.apache.spark.sql.catalyst.expressions.Expression conjunct) {
    Expression converted = converted(conjunct);
    return converted == null ? null : new FileCondition(files, converted, isTrusted(files, conjunct));
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

  /** Whether it is true for all rows of a file, whose bounds of the condition's columns are loaded. */
  public boolean isTrueFor(DataFile file) {
    if (!isDecidable) return false;
    if (bounds.eval(file)) return true;
    Integer id = Integer.valueOf(file.specId());
    if (!partitions.containsKey(id)) {
      PartitionSpec spec = (PartitionSpec) files.table.specs().get(id);
      Expression projected = Projections.strict(spec, caseSensitive).project(strict);
      partitions.put(id, new Evaluator(spec.partitionType(), projected, caseSensitive));
    }
    return ((Evaluator) partitions.get(id)).eval(file.partition());
  }

  private static boolean isTrusted(SnapshotFiles files, org.apache.spark.sql.catalyst.expressions.Expression conjunct) {
    for (Attribute column : ScalaTypes.list(conjunct.references().toSeq())) {
      Types.NestedField field = files.field(column);
      if (field == null || !SnapshotFiles.isKnown(field.type())) return false;
    }
    return true;
  }

  /**
   * A filter that is true where it is so in SQL: Iceberg takes `a <> 1` for true where a is null, and `a < 1` where that is
   * a partition value.
   */
  private static Expression inSql(Expression e) {
    if (e instanceof org.apache.iceberg.expressions.And) {
      org.apache.iceberg.expressions.And both = (org.apache.iceberg.expressions.And) e;
      return Expressions.and(inSql(both.left()), inSql(both.right()));
    }
    if (e instanceof org.apache.iceberg.expressions.Or) {
      org.apache.iceberg.expressions.Or either = (org.apache.iceberg.expressions.Or) e;
      return Expressions.or(inSql(either.left()), inSql(either.right()));
    }
    if (!(e instanceof UnboundPredicate) || !TRUE_OF_NULL.contains(e.op())) return e;
    return Expressions.and(Expressions.notNull((UnboundTerm<?>) ((Predicate<?, ?>) e).term()), e);
  }
}

package sparkicebergsql;

import java.util.List;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.iceberg.spark.SparkWriteRequirements;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta;
import org.apache.spark.sql.connector.distributions.UnspecifiedDistribution;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/**
 * The rows that a command writes, as far as its plan tells: how many, how they come to the writers.
 *
 * <p>A MERGE, an UPDATE and a DELETE write no more rows than the target and the source have together. Spark's own estimate
 * of their query is that of a join, which may be any number.
 */
public final class WrittenRows {
  private final LogicalPlan command, query;
  /** Of the target, where its own rows are written again; 0 for other writes. */
  private final double targetRows, targetFiles;
  /** The other side of a MERGE; null for other writes. */
  private final LogicalPlan source;

  /**
   * @param command null if it is not known
   * @param query whose rows are written; null if it is not known
   */
  public WrittenRows(LogicalPlan command, LogicalPlan query) {
    this.command = command;
    this.query = query;
    boolean isRowLevel = command instanceof RowLevelWrite;
    source = isRowLevel ? source(query, (DataSourceV2Relation) ((RowLevelWrite) command).table()) : null;
    Snapshot snapshot = isRowLevel ? PartitionLayout.of(((RowLevelWrite) command).table()).snapshot() : null;
    targetRows = count(isRowLevel, snapshot, "total-records");
    targetFiles = count(isRowLevel, snapshot, "total-data-files");
  }

  private static double count(boolean isRowLevel, Snapshot snapshot, String key) {
    if (!isRowLevel) return 0;
    long count = snapshot == null ? Long.MAX_VALUE : SnapshotFiles.count(snapshot, key);
    return count == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : count;
  }

  private static LogicalPlan source(LogicalPlan query, DataSourceV2Relation target) {
    LogicalPlan plan = query;
    while (plan.children().size() == 1) plan = (LogicalPlan) plan.children().apply(0);
    if (!(plan instanceof Join)) return null;
    boolean isLeft = reads(((Join) plan).left(), target.table());
    return isLeft ? ((Join) plan).right() : ((Join) plan).left();
  }

  private static boolean reads(LogicalPlan plan, Object table) {
    if (plan instanceof DataSourceV2Relation) return ((DataSourceV2Relation) plan).table() == table;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (reads(child, table)) return true;
    return false;
  }

  /** What the command is to the table; null for an INSERT and its like. */
  private RowLevelOperation.Command kind() {
    return command instanceof RowLevelWrite ? ((RowLevelWrite) command).operation().command() : null;
  }

  /** Whether it writes rows: a DELETE with merge-on-read writes positions, for which Iceberg opens a file at a time. */
  public boolean areData() { return !(command instanceof WriteDelta) || kind() != RowLevelOperation.Command.DELETE; }

  /** The order and distribution that Iceberg asks Spark for. */
  public SparkWriteRequirements requirements(SparkWriteConf conf) {
    if (!(command instanceof RowLevelWrite)) return conf.writeRequirements();
    return command instanceof WriteDelta ? conf.positionDeltaRequirements(kind())
                                         : conf.copyOnWriteRequirements(kind());
  }

  /** Whether the rows of a partition come to one task; those of a file that is written again do. */
  public boolean areShuffled(SparkWriteRequirements requirements) {
    if (requirements.distribution() instanceof UnspecifiedDistribution) return false;
    return kind() == null || kind() == RowLevelOperation.Command.MERGE || command instanceof WriteDelta;
  }

  public boolean isKnown() { return query != null; }

  /** Whether the query has an order of its own. */
  public boolean areOrdered() { return !(command instanceof RowLevelWrite) && isOrdered(query); }

  private static boolean isOrdered(LogicalPlan plan) {
    if (plan instanceof Project || plan instanceof Filter)
      return isOrdered((LogicalPlan) ScalaTypes.list(plan.children()).get(0));
    return plan instanceof Sort;
  }

  /** By Spark's estimate of the rows; of a MERGE with merge-on-read, about as many as its source has are written. */
  public double bytes() {
    if (!(command instanceof RowLevelWrite)) return query.stats().sizeInBytes().doubleValue();
    double ofSource = source == null ? 0 : source.stats().sizeInBytes().doubleValue();
    if (source != null && command instanceof WriteDelta) return ofSource;
    double row = 0;
    for (Attribute column : ScalaTypes.list(query.output())) row += column.dataType().defaultSize();
    return targetRows * row + ofSource;
  }

  /** At most so many rows; infinite if not known. */
  public double rows() {
    if (!(command instanceof RowLevelWrite)) return rows(query);
    return targetRows + (source == null ? 0 : rows(source));
  }

  private static double rows(LogicalPlan plan) {
    if (plan == null) return Double.POSITIVE_INFINITY;
    if (plan.maxRows().isDefined()) return ((Number) plan.maxRows().get()).doubleValue();
    if (plan instanceof Project || plan instanceof Filter || plan instanceof Sort)
      return rows((LogicalPlan) ScalaTypes.list(plan.children()).get(0));
    if (PartitionLayout.of(plan) == null || ((DataSourceV2Relation) plan).stats().rowCount().isEmpty())
      return Double.POSITIVE_INFINITY;
    return ((scala.math.BigInt) ((DataSourceV2Relation) plan).stats().rowCount().get()).doubleValue();
  }

  /** At most so many partitions: what a DELETE leaves stays where it was, and a file is of one partition. */
  public double partitions() {
    return kind() == RowLevelOperation.Command.DELETE ? Math.min(rows(), targetFiles) : rows();
  }

  /** Whether a column has the same value in all rows, as PARTITION (day = '...') gives it. */
  public boolean isConstant(String column) {
    if (!(query instanceof Project) || command instanceof RowLevelWrite) return false;
    List<NamedExpression> outputs = ScalaTypes.list(((Project) query).projectList());
    for (NamedExpression output : outputs)
      if (output.name().equals(column)) return output instanceof Alias && ((Alias) output).child().foldable();
    return false;
  }
}

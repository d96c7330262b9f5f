package sparkicebergsql;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/** A table in memory, with files that are never read, for the self-tests of rules that count the rows of files. */
public final class TrialTable {
  /** The rows of each file. */
  private static final long ROWS = 100;

  private TrialTable() {}

  /**
   * What the scan of a query's only table is pushed.
   *
   * @param query of a table with the INT columns x and y
   * @param bounds the lower and upper bound of both columns in each file
   */
  public static String scan(SparkSession session, String query, int[][] bounds) throws ParseException {
    final LogicalPlan relation = Relations.of(table(bounds));
    LogicalPlan plan = session.sessionState().sqlParser().parsePlan(query);
    plan = (LogicalPlan) plan.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof UnresolvedRelation;
      }

      @Override
      public Object of(Object node) {
        return relation;
      }
    }));
    LogicalPlan analyzed = (LogicalPlan) session.sessionState().analyzer().execute(plan);
    return scan((LogicalPlan) session.sessionState().optimizer().execute(analyzed));
  }

  private static String scan(LogicalPlan plan) {
    if (plan instanceof DataSourceV2ScanRelation) return ((DataSourceV2ScanRelation) plan).scan().description();
    return plan.children().isEmpty() ? "no scan" : scan((LogicalPlan) plan.children().apply(0));
  }

  private static Table table(int[][] bounds) {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("check", new HashMap<String, String>());
    catalog.createNamespace(Namespace.of(new String[] {"check"}));
    Types.NestedField x = Types.NestedField.optional(1, "x", Types.IntegerType.get());
    Types.NestedField y = Types.NestedField.optional(2, "y", Types.IntegerType.get());
    Table table =
      catalog.createTable(TableIdentifier.of(new String[] {"check", "t"}), new Schema(new Types.NestedField[] {x, y}));
    AppendFiles append = table.newAppend();
    for (int i = 0; i < bounds.length; i++) {
      Metrics metrics = new Metrics(Long.valueOf(ROWS), null, Map.of(1, ROWS, 2, ROWS), Map.of(1, 0L, 2, 0L), null,
        bound(bounds[i][0]), bound(bounds[i][1]));
      append.appendFile(DataFiles.builder(PartitionSpec.unpartitioned())
          .withPath(FileBounds.TRIAL + i)
          .withFormat(FileFormat.AVRO)
          .withFileSizeInBytes(1)
          .withMetrics(metrics)
          .build());
    }
    append.commit();
    return table;
  }

  private static Map<Integer, ByteBuffer> bound(int value) {
    ByteBuffer bound = Conversions.toByteBuffer(Types.IntegerType.get(), Integer.valueOf(value));
    return Map.of(1, bound, 2, bound);
  }
}

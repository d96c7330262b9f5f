package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopInputFile;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** What the rules know of tables and scans, for Python. The rules do without it. */
public class RelationFacts implements Consumer<Object> {
  /** Takes the results of the probes of this Iceberg. */
  @SuppressWarnings("unchecked")
  public void accept(Object probed) {
    PartitionLayout.setProbed((Future<Map<String, String>>) probed);
  }

  /** The columns with wrong bounds in a table's current snapshot; as WrongBoundsRow entries in JSON. */
  public String wrongBounds(Table table) throws IOException {
    Snapshot snapshot = table.currentSnapshot();
    if (snapshot == null) return json(new ArrayList<WrongBoundsRow>());
    // By its id: of a table with write.wap.enabled, a scan without one may read any branch.
    Long id = Long.valueOf(snapshot.snapshotId());
    return json(FileBounds.of(table, id, null, CaseInsensitiveStringMap.empty()).described(table));
  }

  /** The columns with wrong bounds in the files that a relation may read; none if it is no Iceberg table. */
  public String wrongBounds(LogicalPlan relation) throws IOException {
    PartitionLayout layout = PartitionLayout.of(relation);
    return json(layout == null ? new ArrayList<WrongBoundsRow>() : layout.wrongBounds());
  }

  private static String json(List<WrongBoundsRow> rows) throws IOException {
    return new ObjectMapper().writeValueAsString(rows);
  }

  /** The units of the timestamps in a Parquet file: MILLIS, MICROS, NANOS. */
  public List<String> timeUnits(String location, Configuration configuration) throws IOException {
    return ParquetTimes.units(HadoopInputFile.fromLocation(location, configuration));
  }

  /** Why a scan of an optimized plan reads fewer files than its filters need; null if it does not. */
  public String readReason(Object scan) { return ReadNotes.reason(scan); }

  /** How many manifests, and data files in them, the rules have read in this JVM. */
  public List<Long> metadataRead() {
    return List.of(Long.valueOf(ManifestPass.manifests()), Long.valueOf(ManifestPass.files()));
  }

  /** The bytes that the rules keep between queries, and the most that they may keep. */
  public List<Long> bytesKept() { return List.of(Long.valueOf(KeptFacts.bytes()), Long.valueOf(KeptFacts.limit())); }

  /** The AnsweredRow of a leaf of an optimized plan, as JSON; null if it has none. */
  public String answered(Object leaf) throws IOException {
    AnsweredRow files = ReadNotes.answered(leaf);
    return files == null ? null : new ObjectMapper().writeValueAsString(files);
  }
}

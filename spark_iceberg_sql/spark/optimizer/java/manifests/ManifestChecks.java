package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/**
 * The checks of all manifests of a table, or of a part of very many.
 *
 * <p>Each is read once, since it never changes (see KeptChecks for how long), and all of a table's in parallel. This costs
 * about as much as planning a query that has a filter and no partition filter.
 */
public final class ManifestChecks {
  /** In bytes of manifests: those of about half a million files. */
  private static final long LIMIT = 128L << 20;
  /** How many Parquet footers the checks of a table read at most. */
  private static final int FOOTERS = 32;
  /** By manifest: its faults. */
  private static final KeptFacts MANIFESTS = new KeptFacts("manifest");

  private ManifestChecks() {}

  /**
   * The faults of all manifests, or of as many of them as LIMIT allows, evenly spread; whether of all.
   *
   * @param faults takes them, by the keys of the manifests: what is kept may be dropped at any time
   */
  @SuppressWarnings("unchecked")
  public static boolean fetch(Table table, Map<String, ManifestFile> manifests, Map<String, List<BoundFault>> faults) {
    List<String> keys = new ArrayList<>();
    List<ManifestCheck> checks = new ArrayList<>();
    Map<Integer, Types.NestedField> fields = new HashMap<>();
    AtomicInteger footers = new AtomicInteger(FOOTERS);
    long bytes = 0, unreadBytes = 0;
    for (ManifestFile manifest : manifests.values()) bytes += manifest.length();
    int index = 0, stride = 1 + (int) Math.min(bytes / LIMIT, manifests.size());
    for (String key : manifests.keySet()) {
      List<BoundFault> kept = (List<BoundFault>) MANIFESTS.get(key);
      if (kept != null) faults.put(key, kept);
      if (index++ % stride != 0 || kept != null) continue;
      keys.add(key);
      unreadBytes += ((ManifestFile) manifests.get(key)).length();
    }
    if (keys.isEmpty()) return stride == 1;
    for (Schema schema : table.schemas().values()) fields.putAll(TypeUtil.indexById(schema.asStruct()));
    fields.putAll(TypeUtil.indexById(table.schema().asStruct()));
    KeptChecks kept = KeptChecks.of(table, fields, unreadBytes);
    if (kept != null) keys.removeAll(take(kept, table, manifests, keys, faults));
    if (keys.isEmpty()) return stride == 1;
    ReadAhead.Ahead ahead = ReadAhead.of(table, manifests.values());
    for (String key : keys)
      checks.add(new ManifestCheck(table, (ManifestFile) manifests.get(key), fields, footers, ahead));
    List<List<BoundFault>> read = WorkerPool.results(checks);
    for (int i = 0; i < keys.size(); i++) {
      String key = (String) keys.get(i);
      List<BoundFault> ofOne = (List<BoundFault>) read.get(i);
      keep(key, ofOne, faults);
      SnapshotManifests.keepComplete(key); // a later snapshot's check need not look at its end
      if (kept != null && ((ManifestCheck) checks.get(i)).isOfManifest())
        kept.add(key, (ManifestFile) manifests.get(key), ofOne);
    }
    if (kept != null) kept.write();
    return stride == 1;
  }

  /** Takes the faults of manifests that another JVM has kept, unless the file may be cut off by now; returns their keys. */
  private static Set<String> take(KeptChecks kept, Table table, Map<String, ManifestFile> manifests, List<String> keys,
    Map<String, List<BoundFault>> faults) {
    Map<String, List<BoundFault>> faultsByKey = new HashMap<>();
    for (String key : keys) {
      List<BoundFault> ofOne = kept.faults(key, (ManifestFile) manifests.get(key));
      if (ofOne != null) faultsByKey.put(key, ofOne);
    }
    faultsByKey.keySet().removeAll(SnapshotManifests.cutOff(table, manifests, faultsByKey.keySet()));
    for (String key : faultsByKey.keySet()) keep(key, (List<BoundFault>) faultsByKey.get(key), faults);
    return faultsByKey.keySet();
  }

  private static void keep(String key, List<BoundFault> ofOne, Map<String, List<BoundFault>> faults) {
    faults.put(key, ofOne);
    MANIFESTS.put(key, ofOne, KeptFacts.bytes(key) + bytes(ofOne));
  }

  /** Of some faults that are kept, roughly. */
  public static long bytes(List<BoundFault> faults) {
    long bytes = 0;
    for (BoundFault fault : faults) bytes += 100 + (fault.file == null ? 0 : KeptFacts.bytes(fault.file));
    return bytes;
  }
}

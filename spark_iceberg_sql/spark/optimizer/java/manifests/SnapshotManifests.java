package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/** The manifests of snapshots of a table, and whether one of them may be cut off: see TruncatedFile. */
public final class SnapshotManifests {
  /** By snapshots of a table, and by manifest: that none is cut off. */
  private static final KeptFacts COMPLETE = new KeptFacts("complete");

  private SnapshotManifests() {}

  /** Of some snapshots of a table, as it is now. */
  public static String key(Table table, Collection<Snapshot> snapshots) {
    StringBuilder key = new StringBuilder(String.valueOf(table.uuid())).append(' ').append(table.location());
    for (Snapshot s : snapshots) {
      String list = s.manifestListLocation();
      key.append(' ').append(s.snapshotId());
      // A copy of a table has the same lists elsewhere.
      if (list != null) key.append('@').append(table.io().newInputFile(list).location());
    }
    return key.append(state(table)).toString();
  }

  /** What the faults of a manifest depend on but it: the columns' types, and how files without field ids are read. */
  private static String state(Table table) {
    String mapping = (String) table.properties().get(ParquetTimes.MAPPING);
    return " " + table.schema().schemaId() + (mapping == null ? "" : " " + mapping.hashCode());
  }

  /** By a key of each, as the table is now; a manifest list that is cut off is refused. */
  public static Map<String, ManifestFile> of(Table table, Collection<Snapshot> snapshots) {
    return of(table, snapshots, null);
  }

  /** The same of those in a scope; null if they are all. */
  public static Map<String, ManifestFile> of(Table table, Collection<Snapshot> snapshots, ManifestScope scope) {
    Map<String, ManifestFile> manifests = new LinkedHashMap<>();
    String state = state(table);
    boolean isPart = scope == null;
    for (Snapshot s : snapshots) {
      List<ManifestFile> all = s.allManifests(table.io());
      TruncatedFile.check(table, s, all);
      List<ManifestFile> needed = scope == null ? all : scope.of(all);
      isPart |= needed.size() < all.size();
      for (ManifestFile m : needed)
        manifests.put(table.io().newInputFile(m.path()).location() + " " + m.length() + state, m);
    }
    return isPart ? manifests : null;
  }

  /** Whether a manifest may be cut off; a few bytes of each are read once. */
  public static boolean mayBeCutOff(Table table, Collection<Snapshot> snapshots) {
    String ofAll = key(table, snapshots);
    if (COMPLETE.get(ofAll) != null) return false;
    Map<String, ManifestFile> manifests = of(table, snapshots);
    if (!cutOff(table, manifests, manifests.keySet()).isEmpty()) return true;
    keepComplete(ofAll);
    return false;
  }

  /** Which of some manifests, by their keys in {@link #of}, may be cut off; a few bytes of each are read once. */
  public static Set<String> cutOff(Table table, Map<String, ManifestFile> manifests, Collection<String> keys) {
    List<String> unread = new ArrayList<>();
    List<CutOff> tests = new ArrayList<>();
    for (String key : keys) {
      if (COMPLETE.get(key) != null) continue;
      unread.add(key);
      tests.add(new CutOff(table, (ManifestFile) manifests.get(key)));
    }
    List<Boolean> results = WorkerPool.results(tests);
    Set<String> cutOff = new HashSet<>();
    for (int i = 0; i < unread.size(); i++) {
      if (((Boolean) results.get(i)).booleanValue()) cutOff.add(unread.get(i));
      else keepComplete((String) unread.get(i));
    }
    return cutOff;
  }

  /** Keeps that a manifest, by its key in {@link #of}, is not cut off: its check has read all of it. */
  public static void keepComplete(String key) { COMPLETE.put(key, Boolean.TRUE, KeptFacts.bytes(key)); }

  /** Whether one manifest may be cut off. */
  private static final class CutOff implements Callable<Boolean> {
    final Table table;
    final ManifestFile manifest;

    CutOff(Table table, ManifestFile manifest) {
      this.table = table;
      this.manifest = manifest;
    }

    @Override
    public Boolean call() {
      return Boolean.valueOf(TruncatedFile.mayBe(table, manifest));
    }
  }
}

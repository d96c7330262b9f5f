package sparkicebergsql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.util.StructLikeSet;

/** The distinct partition tuples of the data files of a snapshot, by spec. The manifests are read once per snapshot. */
public final class PartitionTuples {
  /** The maximum number of tuples: to evaluate a condition on so many takes about a tenth of a second. */
  private static final int LIMIT = 100000;
  /** Of the last snapshots that were read. */
  private static final KeptFacts CACHE = new KeptFacts("tuples");
  /** In bytes, of a tuple and of a value in it, roughly. */
  private static final long TUPLE = 100, VALUE = 40;

  private final Map<Integer, StructLikeSet> bySpec = new LinkedHashMap<>();

  private PartitionTuples() {}

  /** Null if there are too many. */
  public static PartitionTuples of(SnapshotFiles files) {
    String version = files.layout.version(), key = version + " " + files.snapshot.snapshotId();
    PartitionTuples tuples = version == null ? null : (PartitionTuples) CACHE.get(key);
    if (tuples == null) {
      tuples = read(files);
      if (version != null) CACHE.put(key, tuples, KeptFacts.bytes(key) + tuples.bytes(files));
    }
    return tuples.count() > LIMIT ? null : tuples;
  }

  private static PartitionTuples read(SnapshotFiles files) {
    List<Manifest> manifests = new ArrayList<>();
    List<ManifestFile> listed = files.manifests();
    for (ManifestFile manifest : listed)
      if (manifest.hasAddedFiles() || manifest.hasExistingFiles()) manifests.add(new Manifest(files, manifest));
    final PartitionTuples result = new PartitionTuples();
    WorkerPool.stream(manifests, new WorkerPool.Receiver() {
      @Override
      public boolean receive(Object manifest) {
        result.add(((Manifest) manifest).spec, ((Manifest) manifest).tuples);
        return result.count() <= LIMIT;
      }
    });
    return result;
  }

  private void add(PartitionSpec spec, StructLikeSet tuples) {
    Integer id = Integer.valueOf(spec.specId());
    if (!bySpec.containsKey(id)) bySpec.put(id, StructLikeSet.create(spec.partitionType()));
    if (count() <= LIMIT) ((StructLikeSet) bySpec.get(id)).addAll(tuples);
  }

  private long bytes(SnapshotFiles files) {
    long bytes = 0;
    for (Integer id : bySpec.keySet()) {
      int fields = ((PartitionSpec) files.table.specs().get(id)).fields().size();
      bytes += ((StructLikeSet) bySpec.get(id)).size() * (TUPLE + VALUE * fields);
    }
    return bytes;
  }

  private int count() {
    int count = 0;
    for (StructLikeSet tuples : bySpec.values()) count += tuples.size();
    return count;
  }

  /** The ids of the specs that have files. */
  public Iterable<Integer> specs() { return bySpec.keySet(); }

  /** The tuples of a spec's files. */
  public Iterable<StructLike> of(Integer spec) { return (StructLikeSet) bySpec.get(spec); }

  /** Reads the tuples of one manifest. */
  private static final class Manifest implements Callable<Manifest> {
    final SnapshotFiles files;
    final ManifestFile manifest;
    final PartitionSpec spec;
    /** Null if the manifest must be read. */
    final List<DataFile> ahead;
    final StructLikeSet tuples;

    Manifest(SnapshotFiles files, ManifestFile manifest) {
      this.files = files;
      ahead = ReadAhead.files(files.table, manifest, List.of());
      this.manifest = manifest;
      spec = (PartitionSpec) files.table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
      tuples = StructLikeSet.create(spec.partitionType());
    }

    @Override
    public Manifest call() throws IOException {
      if (ahead != null) {
        for (DataFile file : ahead) {
          if (tuples.size() > LIMIT) break;
          tuples.add(file.partition());
        }
        return this;
      }
      ManifestReader<DataFile> reader = ManifestFiles.read(manifest, files.table.io(), files.table.specs());
      LiveFiles live = new LiveFiles(reader.select(List.of("partition")));
      try {
        long count = 0;
        for (DataFile file = live.next(); file != null; file = live.next()) {
          count++;
          if (tuples.size() > LIMIT) break;
          if (!tuples.contains(file.partition())) tuples.add(((DataFile) file.copyWithoutStats()).partition());
        }
        ManifestPass.count(1, count);
      } finally {
        live.close();
      }
      return this;
    }
  }
}

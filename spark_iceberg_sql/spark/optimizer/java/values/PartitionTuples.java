package sparkicebergsql;

import java.io.IOException;
import java.nio.ByteBuffer;
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
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.StructLikeSet;

/**
 * The distinct partition tuples of the data files of a snapshot, by spec. The manifests are read once per snapshot, and
 * not at all where the manifest list tells enough: see {@link #stated}.
 */
public final class PartitionTuples {
  /** The maximum number of tuples: to evaluate a condition on so many takes about a tenth of a second. */
  private static final int LIMIT = 100000;
  /** The maximum number of values within the bounds that a manifest list states: no more than one condition may have. */
  private static final int STATED = 10000;
  /** Of the last snapshots that were read. */
  private static final KeptFacts CACHE = new KeptFacts("tuples");
  /** In bytes, of a tuple and of a value in it, roughly. */
  private static final long TUPLE = 100, VALUE = 40;

  private final Map<Integer, StructLikeSet> bySpec = new LinkedHashMap<>();

  private PartitionTuples() {}

  /** Tuples that include all of those of the files, as far as the values of some terms go; null if there are too many. */
  public static PartitionTuples of(SnapshotFiles files, List<PartitionFieldTerm> terms) {
    String version = files.layout.version(), key = version + " " + files.snapshot.snapshotId();
    PartitionTuples tuples = version == null ? null : (PartitionTuples) CACHE.get(key);
    if (tuples == null && terms.size() == 1) {
      PartitionTuples stated = stated(files, (PartitionFieldTerm) terms.get(0));
      if (stated != null) return stated;
    }
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

  /**
   * A tuple for each value of one term between the bounds that the manifest list states; null if it does not tell them,
   * or if most of these values are those of no file.
   */
  private static PartitionTuples stated(SnapshotFiles files, PartitionFieldTerm term) {
    PartitionTuples result = new PartitionTuples();
    long values = 0, fileCount = 0;
    List<ManifestFile> manifests = files.manifests();
    for (ManifestFile manifest : manifests) {
      if (!manifest.hasAddedFiles() && !manifest.hasExistingFiles()) continue;
      PartitionSpec spec = (PartitionSpec) files.table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
      StructLikeSet tuples = result.of(spec);
      int index = term.index(spec);
      if (index < 0) continue;
      Type type = ((Types.NestedField) spec.partitionType().fields().get(index)).type();
      boolean isWhole = type.typeId() == Type.TypeID.INTEGER || type.typeId() == Type.TypeID.DATE;
      Integer added = manifest.addedFilesCount(), existing = manifest.existingFilesCount();
      if (!isWhole || manifest.partitions() == null || added == null || existing == null) return null;
      fileCount += added.longValue() + existing.longValue();
      ManifestFile.PartitionFieldSummary summary =
        (ManifestFile.PartitionFieldSummary) manifest.partitions().get(index);
      ByteBuffer lower = summary.lowerBound(), upper = summary.upperBound();
      if (lower == null && upper == null && !summary.containsNull() || lower == null != (upper == null)) return null;
      if (summary.containsNull()) tuples.add(tuple(spec, index, null));
      if (lower == null) continue;
      int first = ((Integer) Conversions.fromByteBuffer(type, lower)).intValue();
      int last = ((Integer) Conversions.fromByteBuffer(type, upper)).intValue();
      values += (long) last - first + 1;
      if (first > last || values > LIMIT) return null;
      for (int value = first; value <= last && tuples.size() <= STATED; value++)
        tuples.add(tuple(spec, index, Integer.valueOf(value)));
    }
    return result.count() > Math.min(STATED, 2 * fileCount) ? null : result;
  }

  /** A tuple of which one value is known. */
  private static StructLike tuple(PartitionSpec spec, int index, Integer value) {
    GenericRecord tuple = GenericRecord.create(spec.partitionType());
    tuple.set(index, value);
    return tuple;
  }

  private StructLikeSet of(PartitionSpec spec) {
    Integer id = Integer.valueOf(spec.specId());
    if (!bySpec.containsKey(id)) bySpec.put(id, StructLikeSet.create(spec.partitionType()));
    return (StructLikeSet) bySpec.get(id);
  }

  private void add(PartitionSpec spec, StructLikeSet tuples) {
    StructLikeSet all = of(spec);
    if (count() <= LIMIT) all.addAll(tuples);
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

package sparkicebergsql;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.StructLikeMap;
import org.apache.iceberg.util.ThreadPools;

/**
 * The data files of each partition of a table's current snapshot: all of them, or none (see TruncatedFile). Of each file
 * only its size is read.
 */
public class PartitionSizes {
  /** smallSize: files of fewer bytes are small. */
  public Sizes of(Table table, long smallSize) {
    Snapshot snapshot = table.currentSnapshot();
    if (snapshot != null) TruncatedFile.check(table, snapshot, snapshot.allManifests(table.io()));
    List<ManifestFile> manifests = snapshot == null ? List.of() : snapshot.dataManifests(table.io());
    return new Sizes(table, smallSize, manifests.iterator());
  }

  /** What is counted of a partition. */
  private static final class Partition {
    long files = 0, bytes = 0, smallFiles = 0, smallBytes = 0;

    void add(Partition other) {
      files += other.files;
      bytes += other.bytes;
      smallFiles += other.smallFiles;
      smallBytes += other.smallBytes;
    }
  }

  /** One manifest after the other: no more are read ahead than Iceberg has threads for. */
  public static final class Sizes {
    private final Table table;
    private final long smallSize;
    private final Iterator<ManifestFile> following;
    private final Deque<Future<Read>> ahead = new ArrayDeque<>();
    /** By spec. */
    private final Map<Integer, StructLikeMap<Partition>> partitions = new TreeMap<>();

    Sizes(Table table, long smallSize, Iterator<ManifestFile> manifests) {
      this.table = table;
      this.smallSize = smallSize;
      this.following = manifests;
    }

    /** Adds the files of the next manifest; false after the last. */
    @SuppressWarnings("unchecked")
    public boolean next() throws Exception {
      while (following.hasNext() && ahead.size() <= ThreadPools.WORKER_THREAD_POOL_SIZE)
        ahead.add((Future<Read>) ThreadPools.getWorkerPool().submit(
          new Read(table, smallSize, (ManifestFile) following.next())));
      if (ahead.isEmpty()) return false;
      Read read = (Read) ((Future<Read>) ahead.remove()).get();
      Integer spec = Integer.valueOf(read.spec.specId());
      StructLikeMap<Partition> earlier = (StructLikeMap<Partition>) partitions.putIfAbsent(spec, read.partitions);
      if (earlier == null) return true;
      for (Object element : read.partitions.entrySet()) {
        Map.Entry<StructLike, Partition> entry = (Map.Entry<StructLike, Partition>) element;
        Partition partition = (Partition) earlier.get(entry.getKey());
        if (partition == null) earlier.put((StructLike) entry.getKey(), (Partition) entry.getValue());
        else partition.add((Partition) entry.getValue());
      }
      return true;
    }

    /**
     * In base 64, of each partition five numbers: the id of its spec, its files, their bytes, and the files and the bytes
     * of the small ones.
     */
    public String packed() {
      int count = 0;
      for (Object ofSpec : partitions.values()) count += ((StructLikeMap<?>) ofSpec).size();
      ByteBuffer packed = ByteBuffer.allocate(5 * 8 * count).order(ByteOrder.nativeOrder());
      for (Map.Entry<Integer, StructLikeMap<Partition>> entry : partitions.entrySet()) {
        for (Object element : ((StructLikeMap<?>) entry.getValue()).values()) {
          Partition partition = (Partition) element;
          packed.putLong(((Integer) entry.getKey()).longValue()).putLong(partition.files).putLong(partition.bytes);
          packed.putLong(partition.smallFiles).putLong(partition.smallBytes);
        }
      }
      return Base64.getEncoder().encodeToString(packed.array());
    }
  }

  private static final class Read implements Callable<Read> {
    final PartitionSpec spec;
    final StructLikeMap<Partition> partitions;
    private final Table table;
    private final long smallSize;
    private final ManifestFile manifest;

    Read(Table table, long smallSize, ManifestFile manifest) {
      this.table = table;
      this.smallSize = smallSize;
      this.manifest = manifest;
      spec = (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
      partitions = StructLikeMap.create(spec.partitionType());
    }

    @Override
    public Read call() throws Exception {
      long count = 0;
      LiveFiles files = new LiveFiles(
        ManifestFiles.read(manifest, table.io(), table.specs()).select(List.of("partition", "file_size_in_bytes")));
      try {
        for (DataFile file = files.next(); file != null; file = files.next()) {
          count++;
          add(file);
        }
      } finally {
        files.close();
      }
      TruncatedFile.check(table, manifest, count);
      return this;
    }

    private void add(DataFile file) {
      Partition partition = (Partition) partitions.get(file.partition());
      if (partition == null) {
        partition = new Partition();
        partitions.put(((DataFile) file.copyWithoutStats()).partition(), partition);
      }
      long size = file.fileSizeInBytes();
      partition.files++;
      partition.bytes += size;
      if (size >= smallSize) return;
      partition.smallFiles++;
      partition.smallBytes += size;
    }
  }
}

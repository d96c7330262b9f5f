package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ThreadPools;

/**
 * The data files under each spec of a table's current snapshot. The manifest list has their numbers, and the summary
 * all their bytes: only the manifests of all specs but the largest are read.
 */
public class FileCounts implements Callable<Long> {
  private Table table;
  private ManifestFile manifest;

  /**
   * SpecFiles of each spec with files, in the order of their ids, as JSON. Null if more manifests than `maximum` would have to be read, or
   * if the manifest list lacks the counts, which are optional in format version 1.
   */
  public String of(Table table, int maximum) throws Exception {
    List<SpecFiles> result = new ArrayList<>();
    Snapshot snapshot = table.currentSnapshot();
    if (snapshot == null) return "[]";
    Map<Integer, List<ManifestFile>> manifests = new TreeMap<>();
    Map<Integer, Long> files = new TreeMap<>();
    long totalFiles = 0;
    for (Object element : snapshot.dataManifests(table.io())) {
      ManifestFile manifest = (ManifestFile) element;
      if (manifest.existingFilesCount() == null || manifest.addedFilesCount() == null) return null;
      long live = (long) manifest.existingFilesCount() + manifest.addedFilesCount();
      if (live == 0) continue;
      Integer spec = manifest.partitionSpecId();
      if (!manifests.containsKey(spec)) manifests.put(spec, new ArrayList<>());
      ((List<ManifestFile>) manifests.get(spec)).add(manifest);
      files.put(spec, live + (files.containsKey(spec) ? (Long) files.get(spec) : 0L));
      totalFiles += live;
    }
    long remainingBytes = bytes(snapshot, totalFiles);
    Integer largest = remainingBytes < 0 ? null : largest(manifests);
    int reads = 0;
    for (Object spec : manifests.keySet()) {
      if (!spec.equals(largest)) reads += ((List<ManifestFile>) manifests.get(spec)).size();
    }
    if (reads > maximum) return null;
    Map<Integer, Long> bytes = new TreeMap<>();
    for (Object spec : manifests.keySet()) {
      if (spec.equals(largest)) continue;
      long read = read(table, (List<ManifestFile>) manifests.get(spec));
      bytes.put((Integer) spec, read);
      remainingBytes -= read;
    }
    if (largest != null) bytes.put(largest, remainingBytes);
    for (Object spec : manifests.keySet()) {
      SpecFiles row = new SpecFiles();
      row.specId = Long.valueOf(((Integer) spec).longValue());
      row.files = (Long) files.get(spec);
      row.bytes = (Long) bytes.get(spec);
      result.add(row);
    }
    return new ObjectMapper().writeValueAsString(result);
  }

  /** The bytes of all files, from the summary; -1 if it does not agree with the manifest list. */
  private static long bytes(Snapshot snapshot, long files) {
    Map<String, String> summary = snapshot.summary();
    if (summary == null || !"0".equals(summary.get("total-delete-files"))) return -1;
    if (!String.valueOf(files).equals(summary.get("total-data-files"))) return -1;
    try {
      return Long.parseLong(String.valueOf(summary.get("total-files-size")));
    } catch (NumberFormatException error) {
      return -1;
    }
  }

  private static Integer largest(Map<Integer, List<ManifestFile>> manifests) {
    Integer largest = null;
    for (Object spec : manifests.keySet()) {
      int size = ((List<ManifestFile>) manifests.get(spec)).size();
      if (largest == null || size > ((List<ManifestFile>) manifests.get(largest)).size()) largest = (Integer) spec;
    }
    return largest;
  }

  private static long read(Table table, List<ManifestFile> manifests) throws Exception {
    List<FileCounts> tasks = new ArrayList<>();
    for (Object element : manifests) {
      FileCounts task = new FileCounts();
      task.table = table;
      task.manifest = (ManifestFile) element;
      tasks.add(task);
    }
    long bytes = 0;
    for (Object future : ThreadPools.getWorkerPool().invokeAll(tasks)) bytes += (Long) ((Future) future).get();
    return bytes;
  }

  /** The bytes of the files in one manifest. */
  public Long call() throws Exception {
    long bytes = 0;
    LiveFiles files = new LiveFiles(
      ManifestFiles.read(manifest, table.io(), table.specs()).select(Collections.singletonList("file_size_in_bytes")));
    try {
      for (DataFile file = files.next(); file != null; file = files.next()) bytes += file.fileSizeInBytes();
    } finally {
      files.close();
    }
    return bytes;
  }
}

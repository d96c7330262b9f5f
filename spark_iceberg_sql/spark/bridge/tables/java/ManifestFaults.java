package sparkicebergsql;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseMetadataTable;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;

/** The file at fault where Iceberg's error about a manifest or a manifest list names none. */
public class ManifestFaults {
  private static final int MANIFESTS = 200; // more take too long for an error message

  /**
   * The first manifest list or manifest of a snapshot that cannot be read, and the reason; null if there is none.
   * snapshotId: null for the current one.
   */
  public List<String> first(Table table, Long snapshotId) {
    Table dataTable = table instanceof BaseMetadataTable ? ((BaseMetadataTable) table).table() : table;
    Snapshot snapshot = snapshotId == null ? dataTable.currentSnapshot() : dataTable.snapshot(snapshotId.longValue());
    if (snapshot == null || snapshot.manifestListLocation() == null) return null;
    if (SnapshotKey.of(snapshot) != null && !(dataTable.io() instanceof EncryptingFileIO))
      return fault(snapshot.manifestListLocation(),
        "it is encrypted with the key " + SnapshotKey.of(snapshot)
          + (" of the table, which this catalog cannot decrypt: read the table by its name in the catalog with its "
            + "keys"));
    List<ManifestFile> manifests;
    try {
      manifests = snapshot.allManifests(dataTable.io());
    } catch (RuntimeException error) {
      return fault(snapshot.manifestListLocation(), error.getMessage());
    }
    if (manifests.size() > MANIFESTS) return null;
    for (Object element : manifests) {
      ManifestFile manifest = (ManifestFile) element;
      PartitionSpec spec = (PartitionSpec) dataTable.specs().get(Integer.valueOf(manifest.partitionSpecId()));
      if (spec == null)
        return fault(snapshot.manifestListLocation(),
          "it refers to partition spec " + manifest.partitionSpecId() + ", which the table does not have");
      List<String> fault = summaryFault(snapshot.manifestListLocation(), manifest, spec);
      if (fault == null) fault = fileFault(dataTable, manifest);
      if (fault != null) return fault;
    }
    return null;
  }

  private static List<String> summaryFault(String manifestList, ManifestFile manifest, PartitionSpec spec) {
    if (manifest.partitions() == null) return null;
    List<NestedField> fields = spec.partitionType().fields();
    for (int i = 0; i < Math.min(fields.size(), manifest.partitions().size()); i++) {
      ManifestFile.PartitionFieldSummary summary = (ManifestFile.PartitionFieldSummary) manifest.partitions().get(i);
      NestedField field = (NestedField) fields.get(i);
      if (!isValue(field.type(), summary.lowerBound()) || !isValue(field.type(), summary.upperBound()))
        return fault(manifestList, "a bound of the partition field `" + field.name() + "` is no " + field.type());
    }
    return null;
  }

  private static List<String> fileFault(Table table, ManifestFile manifest) {
    ManifestReader<?> reader = null;
    try {
      reader = manifest.content() == ManifestContent.DATA
        ? (ManifestReader<?>) ManifestFiles.read(manifest, table.io(), table.specs())
        : (ManifestReader<?>) ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs());
      for (Object element : reader) {
        ContentFile<?> file = (ContentFile<?>) element;
        String column = wrongBound(table.schema(), file.lowerBounds());
        if (column == null) column = wrongBound(table.schema(), file.upperBounds());
        if (column != null)
          return fault(manifest.path(), "in it, " + column + ", for the file `" + FileAddress.of(file) + "`");
      }
      return null;
    } catch (RuntimeException error) {
      String unreadable = isMisread(error) ? unreadableField(table, manifest) : null;
      return fault(manifest.path(), unreadable == null ? error.getMessage() : unreadable);
    } finally {
      close(reader);
    }
  }

  /** Whether values have been taken for lengths, or for numbers of types in a union. */
  private static boolean isMisread(RuntimeException error) {
    return error instanceof IndexOutOfBoundsException
      || String.valueOf(error.getMessage()).startsWith("Malformed data");
  }

  /** The partition field that Iceberg 1.12 misreads: values of a fixed length, as if their length preceded them. */
  private static String unreadableField(Table table, ManifestFile manifest) {
    PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
    for (Object element : spec.partitionType().fields()) {
      NestedField field = (NestedField) element;
      if (field.type().typeId() == Type.TypeID.FIXED)
        return "the partition field `" + field.name() + "` has values of the type " + field.type()
          + ", which this version of Iceberg cannot read; read the table with the engine that wrote it";
    }
    return null;
  }

  /** The column and its type if one of a file's bounds is no value of it; null if all are. */
  private static String wrongBound(Schema schema, Map<Integer, ByteBuffer> bounds) {
    if (bounds == null) return null;
    for (Object element : bounds.entrySet()) {
      Map.Entry<?, ?> bound = (Map.Entry<?, ?>) element;
      NestedField field = schema.findField(((Integer) bound.getKey()).intValue());
      if (field != null && !isValue(field.type(), (ByteBuffer) bound.getValue()))
        return "a bound of the column `" + schema.findColumnName(field.fieldId()) + "` is no " + field.type();
    }
    return null;
  }

  private static boolean isValue(Type type, ByteBuffer bytes) {
    if (bytes == null || !type.isPrimitiveType()) return true;
    try {
      Conversions.fromByteBuffer(type, bytes);
      return true;
    } catch (UnsupportedOperationException unknownType) {
      return true;
    } catch (RuntimeException wrongLength) {
      return false;
    }
  }

  private static List<String> fault(String file, String reason) {
    List<String> fault = new ArrayList<>();
    fault.add(file);
    fault.add(reason == null ? "it is damaged" : reason);
    return fault;
  }

  private static void close(ManifestReader<?> reader) {
    try {
      if (reader != null) reader.close();
    } catch (Exception ignored) {
    }
  }
}

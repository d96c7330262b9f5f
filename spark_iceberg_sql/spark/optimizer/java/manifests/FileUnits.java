package sparkicebergsql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Decides about files of one manifest whose times could be in another unit than Iceberg's, by the footers of a few of them.
 *
 * <p>A manifest does not say in which unit a file's bounds are.
 */
public final class FileUnits {
  /** The years 1 to 9999 in milliseconds, read as microseconds: 14 January 1968 to 11 January 1978. */
  public static final long MINIMUM_MILLIS = -62135596800000L, MAXIMUM_MILLIS = 253402300799999L;
  /** The year 10000: any later bound may be in nanoseconds. */
  private static final long YEAR_10000 = 253402300800L * 1000000L;
  /** How Iceberg's writers in Java and Python name their files. */
  private static final Pattern OF_ICEBERG = Pattern.compile("/\\d{5}-\\d+-[^/]*$");
  /** How many imported files of one manifest are looked at. */
  private static final int IMPORTED = 4;

  private final Table table;
  /** Whether files without field ids can be read. */
  private final boolean isMapped;
  private final Map<Integer, Types.NestedField> fields;
  /** How many footers the whole check may still read. */
  private final AtomicInteger footers;
  private final List<BoundFault> suspects = new ArrayList<>();
  /** Files of which none knows who wrote them: their footers tell what the bounds do not. */
  private final List<String> imported = new ArrayList<>();
  private long importedFiles, importedBytes;
  private final Map<String, Map<Integer, String>> byFile = new HashMap<>();
  /** Fields for which one file of this manifest was in another unit than Iceberg's. */
  private final Map<Integer, String> foreign = new HashMap<>();
  /** By field, the unit of the first file with a name of Iceberg's. */
  private final Map<Integer, String> ofIceberg = new HashMap<>();

  /** fields: the table's columns by id. footers: how many Parquet footers may be read, shared by several checks. */
  public FileUnits(Table table, Map<Integer, Types.NestedField> fields, AtomicInteger footers) {
    this.table = table;
    isMapped = table.properties().containsKey(ParquetTimes.MAPPING);
    this.fields = fields;
    this.footers = footers;
  }

  /** Takes note of a file of the manifest. */
  public void add(DataFile file) {
    if (!isImported(file)) return;
    if (imported.size() < IMPORTED) imported.add(FileAddress.of(file));
    importedFiles++;
    importedBytes += file.fileSizeInBytes();
  }

  /** Whether another program may have written a file. Files without field ids need a mapping of names. */
  private boolean isImported(DataFile file) {
    return isMapped && file.format() == FileFormat.PARQUET && !OF_ICEBERG.matcher(FileAddress.of(file)).find();
  }

  /** Whether bounds of times could be in milliseconds or nanoseconds. */
  public static boolean isSuspect(long minimum, long maximum) {
    return minimum >= MINIMUM_MILLIS && maximum <= MAXIMUM_MILLIS || maximum >= YEAR_10000;
  }

  /** Takes note of such bounds, as the fault that they are if no footer says otherwise. */
  public void suspect(BoundFault fault) { suspects.add(fault); }

  /** Whether the files' footers are asked for more than their manifest says. */
  public boolean areAsked() { return !suspects.isEmpty() || !imported.isEmpty(); }

  /** Adds the faults of the files that have, or may have, another unit. */
  public void resolve(List<BoundFault> faults) {
    for (BoundFault suspect : suspects) {
      Integer id = Integer.valueOf(suspect.fieldId);
      // Files that a manifest has together were imported together: one foreign unit tells for all.
      String unit = (String) foreign.get(id);
      if (unit == null)
        unit = OF_ICEBERG.matcher(suspect.file).find() ? ofIceberg(suspect, id) : unit(suspect.file, id);
      if ("MICROS".equals(unit)) continue;
      if (unit != null) foreign.put(id, unit);
      report(faults, suspect, unit);
    }
    for (String file : imported) {
      Map<Integer, String> unitsById = units(file);
      if (unitsById == null) continue;
      for (Integer id : unitsById.keySet()) {
        String unit = (String) unitsById.get(id);
        if (unit.equals("MICROS") || foreign.containsKey(id) || !isMicros(id)) continue;
        foreign.put(id, unit);
        // The bounds are right, but those of the file's row groups are in the file's unit.
        BoundFault all =
          new BoundFault(id.intValue(), BoundFault.Kind.UNREAD, file, true, MINIMUM_MILLIS, MAXIMUM_MILLIS);
        all.files = importedFiles;
        all.bytes = importedBytes;
        report(faults, all, unit);
      }
    }
  }

  /** The unit of a file that has a name of Iceberg's: that of the first one, and Iceberg's own if it is not read. */
  private String ofIceberg(BoundFault suspect, Integer id) {
    if (!ofIceberg.containsKey(id)) ofIceberg.put(id, unit(suspect.file, id));
    String unit = (String) ofIceberg.get(id);
    return unit == null ? "MICROS" : unit;
  }

  /** Whether Iceberg counts a column in microseconds. */
  private boolean isMicros(Integer id) {
    Types.NestedField field = (Types.NestedField) fields.get(id);
    return field != null && field.type().typeId() == Type.TypeID.TIMESTAMP;
  }

  /** MICROS also where the type has no unit, as INT96; null if it is unknown. */
  private String unit(String file, Integer id) {
    Map<Integer, String> unitsById = units(file);
    String unit = unitsById == null ? null : (String) unitsById.get(id);
    return unitsById != null && unit == null ? "MICROS" : unit;
  }

  private Map<Integer, String> units(String file) {
    Map<Integer, String> unitsById = (Map<Integer, String>) byFile.get(file);
    if (unitsById != null || footers.decrementAndGet() < 0) return unitsById;
    try {
      unitsById = ParquetTimes.units(table, file);
    } catch (IOException e) {
      return null;
    } catch (RuntimeException e) {
      return null; // the file is gone, or its store refuses: the query itself will tell
    }
    byFile.put(file, unitsById);
    return unitsById;
  }

  private static void report(List<BoundFault> faults, BoundFault suspect, String unit) {
    boolean isLate = suspect.maximum >= YEAR_10000;
    if (unit == null && isLate) return; // as wide as it says
    BoundFault.add(faults, suspect.as(unit == null ? BoundFault.Kind.UNREAD : BoundFault.Kind.valueOf(unit)));
  }
}

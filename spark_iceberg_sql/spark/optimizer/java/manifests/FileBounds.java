package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The columns of a table whose bounds cannot be relied on, in the data files that a query may read.
 *
 * <p>Of a table with very many manifests, a part is read (see ManifestChecks): a fault in it is taken as one of the whole
 * table, and imported files as TIMESTAMP(MILLIS).
 */
public final class FileBounds {
  /** By snapshots of a table. */
  private static final KeptFacts SNAPSHOTS = new KeptFacts("snapshots");
  public static final String SNAPSHOT_ID = "snapshot-id";
  /** Options of a read that choose files of another snapshot, or of several. */
  private static final Set<String> SNAPSHOT_OPTIONS = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    Collections.addAll(SNAPSHOT_OPTIONS,
      new String[] {SNAPSHOT_ID, "as-of-timestamp", "branch", "tag", "versionAsOf", "timestampAsOf",
        "start-snapshot-id", "end-snapshot-id", "start-timestamp", "end-timestamp", "scan-task-set-id"});
  }

  /** Begins the name of a file of the rules' own tests, about which nobody is warned. */
  public static final String TRIAL = "memory:/check/";
  /** The faults that have been reported, so that each is reported once. */
  private static final Set<String> REPORTED = Collections.synchronizedSet(new HashSet<String>());
  /** The name of a table in a catalog that needs no backticks. */
  public static final Pattern PLAIN_NAME = Pattern.compile("(\\w+)\\.(\\w+(\\.\\w+)*)");

  private final List<BoundFault> faults = new ArrayList<>();
  /** Whether all manifests were read. */
  private boolean isComplete = true;

  private FileBounds() {}

  /** Those of the files that a read of a table may choose from. snapshot, branch: null if the table is not fixed. */
  public static FileBounds of(Table table, Long snapshot, String branch, CaseInsensitiveStringMap options) {
    return of(table, snapshot, branch, options, null);
  }

  /** The same for a read of some of the rows. scope: of which manifests they may be; null if of all. */
  public static FileBounds of(
    Table table, Long snapshot, String branch, CaseInsensitiveStringMap options, ManifestScope scope) {
    try {
      Collection<Snapshot> snapshots = snapshots(table, snapshot, branch, options);
      FileBounds part = scope == null ? null : within(table, snapshots, scope);
      return part == null ? of(table, snapshots) : part;
    } catch (TruncatedFile e) {
      throw e;
    } catch (RuntimeException e) {
      return unknown(); // a manifest that cannot be read fails the query itself, in Iceberg's words
    }
  }

  private static Collection<Snapshot> snapshots(
    Table table, Long snapshot, String branch, CaseInsensitiveStringMap options) {
    Set<Snapshot> result = new LinkedHashSet<>();
    if (snapshotId(options) != null) {
      result.add(table.snapshot(snapshotId(options).longValue()));
    } else if (chooseSnapshots(options)) {
      for (Snapshot s : table.snapshots()) result.add(s);
    } else if (snapshot != null) {
      result.add(table.snapshot(snapshot.longValue()));
    } else {
      result.add(branch == null ? null : table.snapshot(branch));
      result.add(table.currentSnapshot());
      if (isStaged(table))
        for (SnapshotRef ref : table.refs().values()) result.add(table.snapshot(ref.snapshotId()));
    }
    result.remove(null);
    return result;
  }

  /** Whether a session may read the branch that it stages writes on. */
  public static boolean isStaged(Table table) { return table.properties().get("write.wap.enabled") != null; }

  /** The snapshot that options of a read choose by its id, and by nothing else; otherwise null. */
  public static Long snapshotId(CaseInsensitiveStringMap options) {
    Map<String, String> others = new HashMap<>(options);
    others.remove(SNAPSHOT_ID);
    String id = options.get(SNAPSHOT_ID);
    return id == null || chooseSnapshots(new CaseInsensitiveStringMap(others)) ? null : Long.valueOf(id);
  }

  /** Whether options of a read choose files of another snapshot than its table's, or of several. */
  public static boolean chooseSnapshots(CaseInsensitiveStringMap options) {
    for (String option : options.keySet())
      if (SNAPSHOT_OPTIONS.contains(option)) return true;
    return false;
  }

  /**
   * Refuses a read of files of metadata that are cut off: see TruncatedFile. Of each manifest whose figures nothing asks
   * for, a few bytes are read; arguments as in {@link #of}.
   */
  public static void requireWhole(Table table, Long snapshot, String branch, CaseInsensitiveStringMap options) {
    try {
      Collection<Snapshot> snapshots = snapshots(table, snapshot, branch, options);
      // What must be read anyway is read once.
      boolean isChecked = SNAPSHOTS.get(SnapshotManifests.key(table, snapshots)) != null;
      if (!isChecked && (ReadAhead.isAsked(table) || SnapshotManifests.mayBeCutOff(table, snapshots)))
        of(table, snapshots);
    } catch (TruncatedFile e) {
      throw e;
    } catch (RuntimeException e) {
      // a file that cannot be read fails the query itself, in Iceberg's words
    }
  }

  private static FileBounds of(Table table, Collection<Snapshot> snapshots) {
    String key = SnapshotManifests.key(table, snapshots);
    FileBounds cached = (FileBounds) SNAPSHOTS.get(key);
    if (cached == null) {
      cached = read(table, SnapshotManifests.of(table, snapshots));
      SNAPSHOTS.put(key, cached, KeptFacts.bytes(key) + ManifestChecks.bytes(cached.faults));
    }
    return cached;
  }

  /** Those of the manifests in a scope; null if all are asked for, are known, or would be read for other rules. */
  private static FileBounds within(Table table, Collection<Snapshot> snapshots, ManifestScope scope) {
    String ofAll = SnapshotManifests.key(table, snapshots), key = ofAll + scope.key();
    if (SNAPSHOTS.get(ofAll) != null || ReadAhead.isAsked(table)) return null;
    FileBounds part = (FileBounds) SNAPSHOTS.get(key);
    if (part == null) {
      Map<String, ManifestFile> needed = SnapshotManifests.of(table, snapshots, scope);
      if (needed == null) return null;
      part = read(table, needed);
      SNAPSHOTS.put(key, part, KeptFacts.bytes(key) + ManifestChecks.bytes(part.faults));
    }
    return part.isComplete && scope.isEnough(part.faults) ? part : null;
  }

  // Invariant: a fault of any file that the read may choose is in the result, or, if not all manifests were read, a
  // fault that covers it. A fault too many costs pruning; one too few costs rows.
  private static FileBounds read(Table table, Map<String, ManifestFile> manifests) {
    FileBounds result = new FileBounds();
    Map<String, List<BoundFault>> read = new HashMap<>();
    result.isComplete = ManifestChecks.fetch(table, manifests, read);
    for (String key : manifests.keySet()) {
      List<BoundFault> faults = (List<BoundFault>) read.get(key);
      if (faults == null) continue; // only of a part
      for (BoundFault fault : faults) BoundFault.add(result.faults, result.isComplete ? fault : widened(fault));
    }
    PartitionOverflow.addUnordered(table, result.faults);
    UnwrittenColumns.add(table, result.faults);
    if (!result.isComplete && table.properties().containsKey(ParquetTimes.MAPPING))
      result.assume(table, BoundFault.Kind.UNREAD, FileUnits.MINIMUM_MILLIS, FileUnits.MAXIMUM_MILLIS);
    if (table.properties().containsKey("delta-version"))
      result.assume(table, BoundFault.Kind.CUT, Long.MIN_VALUE, Long.MAX_VALUE);
    return result;
  }

  /** A fault as the manifests that were not read may have it. */
  private static BoundFault widened(BoundFault fault) {
    boolean isMillis = fault.kind == BoundFault.Kind.MILLIS || fault.kind == BoundFault.Kind.UNREAD;
    BoundFault result = new BoundFault(
      fault.fieldId, fault.kind, fault.file, isMillis, FileUnits.MINIMUM_MILLIS, FileUnits.MAXIMUM_MILLIS);
    result.files = fault.files;
    result.bytes = fault.bytes;
    return result;
  }

  private void assume(Table table, BoundFault.Kind kind, long minimum, long maximum) {
    Map<Integer, Types.NestedField> fields = TypeUtil.indexById(table.schema().asStruct());
    for (Types.NestedField field : fields.values())
      if (field.type().typeId() == Type.TypeID.TIMESTAMP)
        faults.add(new BoundFault(field.fieldId(), kind, null, true, minimum, maximum));
  }

  private static FileBounds unknown() {
    FileBounds result = new FileBounds();
    result.faults.add(BoundFault.unknown());
    return result;
  }

  /** The faults of one column, by the fields that it may refer to. */
  public List<BoundFault> of(List<Types.NestedField> fields) {
    List<BoundFault> result = new ArrayList<>();
    for (BoundFault fault : faults)
      if (!fault.isOfOneRule() && isOf(fault, fields)) result.add(fault);
    return result;
  }

  /** Whether a file may have a null partition value of a column, and no counts by which Iceberg knows of the nulls. */
  public boolean mayHaveUncountedNulls(List<Types.NestedField> fields) {
    for (BoundFault fault : faults)
      if ((fault.kind == BoundFault.Kind.NULLS || fault.kind == BoundFault.Kind.UNKNOWN) && isOf(fault, fields))
        return true;
    return !isComplete;
  }

  /** Whether a file may have a null partition value of a column, counted or not. */
  public boolean mayHaveNullPartitions(List<Types.NestedField> fields) {
    for (BoundFault fault : faults)
      if (fault.kind == BoundFault.Kind.COUNTED_NULLS && isOf(fault, fields)) return true;
    return mayHaveUncountedNulls(fields);
  }

  /** Whether the reader of a file may skip a struct that is null for IS NULL of one of its fields. */
  public boolean mayLoseNulls(List<Types.NestedField> fields) {
    for (BoundFault fault : faults)
      if (fault.kind == BoundFault.Kind.NESTED_NULLS && isOf(fault, fields)) return true;
    return !isComplete;
  }

  /** Whether the reader of a file may compare constants in another order than its writer. */
  public boolean mayMisorderConstants(List<Types.NestedField> fields) {
    for (BoundFault fault : faults)
      if ((fault.kind == BoundFault.Kind.CONSTANTS || fault.kind == BoundFault.Kind.UNKNOWN) && isOf(fault, fields))
        return true;
    return !isComplete;
  }

  /** Whether a file with bounds of a column may also have NaN, by its counts. */
  public boolean mayHaveNaN(List<Types.NestedField> fields) {
    for (BoundFault fault : faults)
      if ((fault.kind == BoundFault.Kind.NANS || fault.kind == BoundFault.Kind.UNKNOWN) && isOf(fault, fields))
        return true;
    return !isComplete;
  }

  private static boolean isOf(BoundFault fault, List<Types.NestedField> fields) {
    boolean result = fault.fieldId == 0;
    for (Types.NestedField field : fields) result |= field.fieldId() == fault.fieldId;
    return result;
  }

  /** Whether a vectorized read may return wrong times: Iceberg's takes dictionaries of milliseconds as microseconds. */
  public boolean needsRowReader() {
    for (BoundFault fault : faults)
      if (fault.kind == BoundFault.Kind.MILLIS) return true;
    return false;
  }

  /** Warns of a fault of a column, once in the life of the JVM, if it is certain and could cost rows. */
  public static void report(Table table, String column, BoundFault fault) {
    if (!fault.isCertain() || fault.isOfUuids() || fault.file.startsWith(TRIAL)) return;
    if (!REPORTED.add(table.uuid() + " " + fault.fieldId + " " + fault.kind)) return;
    SwitchedRule.warn(text(table, column, fault));
  }

  /** The fault, what it means for queries, and the remedy. */
  public static String text(Table table, String column, BoundFault fault) {
    StringBuilder text =
      new StringBuilder("in ").append(fault.files).append(fault.files == 1 ? " data file" : " data files");
    text.append(" of `")
      .append(Outgoing.visible(table.name()))
      .append("`, the bounds of `")
      .append(Outgoing.visible(column))
      .append("` ");
    text.append(fault.kind.fact);
    if (!fault.kind.issue.isEmpty()) text.append(" (").append(fault.kind.issue).append(")");
    boolean isSingle = fault.files == 1;
    if (fault.kind == BoundFault.Kind.NANOS)
      text.append(": Iceberg reads wrong times from ").append(isSingle ? "it" : "them");
    else text.append(": filters on it read ").append(isSingle ? "the file" : "these files").append(" in full");
    if (fault.kind == BoundFault.Kind.MILLIS) text.append(", and any query without vectorization");
    text.append("\n  --> ").append(Outgoing.visible(fault.file));
    text.append("\nhelp: ").append(remedy(table, fault));
    return text.toString();
  }

  /** The statement that corrects a fault, or what to do. */
  private static String remedy(Table table, BoundFault fault) {
    if (!fault.kind.remedy.isEmpty()) return fault.kind.remedy;
    String call = rewriteAll(table.name());
    return call == null ? "rewrite its data files with the option 'rewrite-all' = 'true'" : call;
  }

  /** The statement that rewrites all data files of a table; null if its name is not plain. */
  public static String rewriteAll(String name) {
    Matcher plain = PLAIN_NAME.matcher(name);
    if (!plain.matches()) return null;
    return "CALL " + plain.group(1) + ".system.rewrite_data_files(table => '" + plain.group(2)
      + "', options => map('rewrite-all', 'true'))";
  }

  /** The faults of known files. */
  public List<WrongBoundsRow> described(Table table) {
    List<WrongBoundsRow> rows = new ArrayList<>();
    for (BoundFault fault : faults) {
      String column = table.schema().findColumnName(fault.fieldId);
      if (fault.file == null || column == null || fault.isOfUuids() || fault.isOfOneRule()) continue;
      WrongBoundsRow row = new WrongBoundsRow();
      row.column = column;
      row.kind = fault.kind.name().toLowerCase(Locale.ROOT);
      row.fact = fault.kind.fact;
      row.issue = fault.kind.issue;
      row.remedy = fault.kind.remedy;
      row.files = Long.valueOf(fault.files);
      row.bytes = Long.valueOf(fault.bytes);
      row.file = fault.file;
      rows.add(row);
    }
    return rows;
  }
}

package sparkicebergsql;

import java.lang.ref.SoftReference;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Table;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * The data files that the check of a snapshot's manifests has just read, for the rules that ask for them while the same
 * query is planned: each manifest is then read once for both.
 *
 * <p>The rules say of which columns they will want the bounds, before anything is known of these. What is kept lives from
 * the check to the last of those rules, and no longer.
 */
public final class ReadAhead {
  /** In bytes: of a file without bounds, and of the bounds and counts of a column, roughly. */
  private static final long FILE = 80, COLUMN = 250;
  /** Of the heap, for one table. */
  private static final double SHARE = 0.1;
  private static final ThreadLocal<ReadAhead> CURRENT = new ThreadLocal<>();
  /** Those that read manifests, in the order of their registration. */
  private static volatile List<SwitchedRule> rules = List.of();

  private LogicalPlan plan;
  private final Map<String, Ahead> tables = new HashMap<>();

  /** The files of a table, by manifest: held softly, since a rule that fails may leave them here. */
  public static final class Ahead {
    private final Set<Integer> columns;
    private final SoftReference<Map<String, List<DataFile>>> files =
      new SoftReference<>(new ConcurrentHashMap<String, List<DataFile>>());

    Ahead(Set<Integer> columns) { this.columns = columns; }

    /** Copies what will be asked for of the files of one manifest. */
    public FileFigures.Copier copier() { return new FileFigures.Copier(columns); }

    /** Keeps the files of a manifest; to be called once for it. */
    public void keep(Table table, ManifestFile manifest, List<DataFile> read) {
      Map<String, List<DataFile>> kept = (Map<String, List<DataFile>>) files.get();
      if (kept != null) kept.put(key(table, manifest), read);
    }
  }

  private ReadAhead() {}

  /** Sets the rules that may read manifests. */
  public static void setRules(List<SwitchedRule> readers) { rules = readers; }

  /** Begins, or goes on, to plan a query in this thread. */
  public static void begin(LogicalPlan plan) {
    ReadAhead current = (ReadAhead) CURRENT.get();
    if (current == null) CURRENT.set(current = new ReadAhead());
    current.plan = plan;
  }

  /** Lets go of all that is kept in this thread. */
  public static void end() { CURRENT.remove(); }

  /** Where to keep the files of manifests that are about to be read; null if no rule will ask for them, or all are too many. */
  public static Ahead of(Table table, Collection<ManifestFile> manifests) {
    Set<Integer> columns = new HashSet<>();
    if (!isAsked(table, columns)) return null;
    long files = 0;
    for (ManifestFile manifest : manifests) {
      if (manifest.content() == ManifestContent.DELETES || manifest.existingFilesCount() == null) return null;
      files += manifest.existingFilesCount().longValue() + manifest.addedFilesCount().longValue();
    }
    if (files * (FILE + COLUMN * columns.size()) > SHARE * Runtime.getRuntime().maxMemory()) return null;
    Ahead ahead = new Ahead(columns);
    ((ReadAhead) CURRENT.get()).tables.put(key(table), ahead);
    return ahead;
  }

  /** Whether a rule will ask for the files of a table, for the query that this thread plans. */
  public static boolean isAsked(Table table) { return isAsked(table, new HashSet<Integer>()); }

  /** columns: takes the ids of those whose bounds will be asked for. */
  private static boolean isAsked(Table table, Set<Integer> columns) {
    ReadAhead current = (ReadAhead) CURRENT.get();
    if (current == null || current.plan == null) return false;
    try {
      return current.collect(current.plan, table, columns);
    } catch (RuntimeException e) {
      return false; // the rule will read the manifests itself
    } catch (AssertionError e) {
      return false; // Spark's, of constants that the rule null_constants has still to replace
    }
  }

  private boolean collect(LogicalPlan node, Table table, Set<Integer> columns) {
    boolean isAsked = false;
    for (SwitchedRule rule : rules) isAsked |= rule.isOnNow() && rule.readsAhead(node, table, columns);
    for (LogicalPlan child : ScalaTypes.list(node.children())) isAsked |= collect(child, table, columns);
    return isAsked;
  }

  /**
   * The files of a manifest, as they were read a moment ago; null if they were not, or if other columns are asked for.
   *
   * @param columns the ids of those whose bounds are needed
   */
  public static List<DataFile> files(Table table, ManifestFile manifest, Collection<Integer> columns) {
    ReadAhead current = (ReadAhead) CURRENT.get();
    Ahead ahead = current == null ? null : (Ahead) current.tables.get(key(table));
    if (ahead == null || !ahead.columns.containsAll(columns)) return null;
    Map<String, List<DataFile>> kept = (Map<String, List<DataFile>>) ahead.files.get();
    return kept == null ? null : (List<DataFile>) kept.get(key(table, manifest));
  }

  /** Whether {@link #files} has those of all manifests. */
  public static boolean has(Table table, Collection<ManifestFile> manifests, Collection<Integer> columns) {
    for (ManifestFile manifest : manifests)
      if (files(table, manifest, columns) == null) return false;
    return true;
  }

  private static String key(Table table) { return table.uuid() + " " + table.schema().schemaId(); }

  /** A copy of a table has manifests of the same names elsewhere. */
  private static String key(Table table, ManifestFile manifest) {
    return table.io().newInputFile(manifest.path()).location() + " " + manifest.length();
  }
}

package sparkicebergsql;

import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import scala.Option;

/**
 * The tables that metadata has answered in the statement that is being planned: what the statement depends on, though
 * its plan no longer shows it. A subquery is planned within the planning of its statement.
 */
public final class AnsweredTables {
  private static final Map<QueryPlanningTracker, Set<String>> IDENTITIES =
    Collections.synchronizedMap(new WeakHashMap<QueryPlanningTracker, Set<String>>());

  private AnsweredTables() {}

  public static void add(Table table) {
    Option<QueryPlanningTracker> tracker = QueryPlanningTracker.get();
    if (tracker.isEmpty()) return;
    synchronized (IDENTITIES) {
      Set<String> earlier = (Set<String>) IDENTITIES.get(tracker.get());
      Set<String> all = new HashSet<>(earlier == null ? Set.of() : earlier);
      all.addAll(identities(table));
      IDENTITIES.put((QueryPlanningTracker) tracker.get(), all);
    }
  }

  /** Whether the statement may depend on a table without showing it: true, too, if no statement is being planned. */
  public static boolean mayHave(Table table) {
    Option<QueryPlanningTracker> tracker = QueryPlanningTracker.get();
    if (tracker.isEmpty()) return true;
    Set<String> answered = (Set<String>) IDENTITIES.get(tracker.get());
    return answered != null && !Collections.disjoint(answered, identities(table));
  }

  /** Whether two tables, under whatever names, may be one. */
  public static boolean areSame(Table a, Table b) { return !Collections.disjoint(identities(a), identities(b)); }

  /** Whether files of a folder that is read as such may be a table's. */
  public static boolean mayBeIn(HadoopFsRelation files, Table table) {
    for (Path root : ScalaTypes.list(files.location().rootPaths()))
      for (String identity : identities(table)) {
        String folder = path(root.toString()) + "/", other = identity + "/";
        if (folder.startsWith(other) || other.startsWith(folder)) return true;
      }
    return false;
  }

  /** A table's folders and its UUID: a table by path has no name in common with the same table of a catalog. */
  private static Set<String> identities(Table table) {
    Set<String> result = new HashSet<>();
    for (String folder :
      new String[] {table.location(), (String) table.properties().get(TableProperties.WRITE_DATA_LOCATION)})
      if (folder != null) result.add(path(folder));
    if (table instanceof HasTableOperations) {
      String uuid = ((HasTableOperations) table).operations().current().uuid();
      if (uuid != null) result.add(uuid);
    }
    return result;
  }

  /** Without a scheme and an authority: file:/a, file:///a and s3a://b/a, s3://b/a are the same folder. */
  private static String path(String location) {
    return location.replaceFirst("^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?", "").replaceAll("/+$", "");
  }
}

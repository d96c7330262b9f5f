package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.BaseMetastoreCatalog;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/**
 * A catalog of the tables that were attached by their path. It is named in a session's configuration, which everybody
 * can see, so the tables and the FileIOs with their credentials are kept here, under a random token that the
 * configuration has.
 */
public class FolderCatalog extends BaseMetastoreCatalog implements SupportsNamespaces {
  private static final Map<String, Map<TableIdentifier, FolderTable.AttachedTable>> ATTACHED =
    new ConcurrentHashMap<>();
  private String name;
  private Map<TableIdentifier, FolderTable.AttachedTable> tables;

  /** Attach a table. token: the catalog's. parts: of the table's name, without the catalog. */
  public static void attach(String token, String[] parts, FolderTable.AttachedTable table) {
    of(token).put(TableIdentifier.of(parts), table);
  }

  /** The folder of the table that is attached under a name; null if there is none. */
  public static String folder(String token, String[] parts) {
    FolderTable.AttachedTable table = (FolderTable.AttachedTable) of(token).get(TableIdentifier.of(parts));
    if (table == null || table.version == 0) return null; // 0: CREATE TABLE has failed
    try {
      new FolderTable(table).refresh();
    } catch (NoSuchTableException e) {
      return null; // dropped: the name is free
    } catch (RuntimeException e) {
      // It is not known that the table is gone.
    }
    return table.folder;
  }

  private static Map<TableIdentifier, FolderTable.AttachedTable> of(String token) {
    ATTACHED.putIfAbsent(token, new ConcurrentHashMap<>());
    return (Map<TableIdentifier, FolderTable.AttachedTable>) ATTACHED.get(token);
  }

  public void initialize(String catalogName, Map<String, String> properties) {
    name = catalogName;
    tables = of((String) properties.get("attached"));
  }

  public String name() { return name; }

  protected TableOperations newTableOps(TableIdentifier identifier) {
    return new FolderTable((FolderTable.AttachedTable) tables.get(identifier));
  }

  protected String defaultWarehouseLocation(TableIdentifier identifier) {
    FolderTable.AttachedTable table = (FolderTable.AttachedTable) tables.get(identifier);
    if (table == null)
      throw new UnsupportedOperationException("the catalog `" + name + "` has only tables attached by their path; "
        + "write CREATE TABLE ... ENGINE = IcebergLocal('/path/of/the/table') or another catalog");
    return table.folder;
  }

  /** Forgets the name. The files stay, unless Spark deletes them (PURGE). */
  public boolean dropTable(TableIdentifier identifier, boolean purge) { return tables.remove(identifier) != null; }

  public void renameTable(TableIdentifier from, TableIdentifier to) {
    throw new UnsupportedOperationException(
      "a table attached by its path cannot be renamed; attach it under the new name");
  }

  public List<TableIdentifier> listTables(Namespace namespace) {
    List<TableIdentifier> names = new ArrayList<>();
    for (Object identifier : tables.keySet())
      if (((TableIdentifier) identifier).namespace().equals(namespace) && isTable(identifier))
        names.add((TableIdentifier) identifier);
    return names;
  }

  /** Whether there was a table in the folder when it was last looked at; CREATE TABLE may have failed. */
  private boolean isTable(Object identifier) {
    FolderTable.AttachedTable table = (FolderTable.AttachedTable) tables.get(identifier);
    return table.version > 0 && !table.isMissing;
  }

  public List<Namespace> listNamespaces(Namespace above) {
    List<Namespace> namespaces = new ArrayList<>();
    int depth = above.length();
    for (Object identifier : tables.keySet()) {
      String[] levels = ((TableIdentifier) identifier).namespace().levels();
      if (levels.length <= depth || !Namespace.of((String[]) Arrays.copyOf(levels, depth)).equals(above)) continue;
      Namespace next = Namespace.of((String[]) Arrays.copyOf(levels, depth + 1));
      if (!namespaces.contains(next)) namespaces.add(next);
    }
    return namespaces;
  }

  public Map<String, String> loadNamespaceMetadata(Namespace namespace) {
    if (listTables(namespace).isEmpty() && listNamespaces(namespace).isEmpty())
      throw new NoSuchNamespaceException("no table is attached in `%s`", namespace);
    return new HashMap<>();
  }

  public void createNamespace(Namespace namespace, Map<String, String> metadata) { throw fixedNamespaces(); }

  public boolean dropNamespace(Namespace namespace) { throw fixedNamespaces(); }

  public boolean setProperties(Namespace namespace, Map<String, String> properties) { throw fixedNamespaces(); }

  public boolean removeProperties(Namespace namespace, Set<String> properties) { throw fixedNamespaces(); }

  private RuntimeException fixedNamespaces() {
    return new UnsupportedOperationException("the namespaces of `" + name + "` are those of its attached tables");
  }
}

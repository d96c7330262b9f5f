package sparkicebergsql;

import org.apache.iceberg.CachingCatalog;
import org.apache.iceberg.spark.source.HasIcebergCatalog;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.ViewCatalog;

/**
 * What a name in a catalog refers to. Exceptions are returned: a name that does not exist is an expected answer, and
 * the conversion of an exception in Python takes forty requests to the JVM.
 */
public class CatalogLookup {
  /** The table, or the exception. */
  public Object table(CatalogPlugin catalog, Identifier name) {
    try {
      return ((TableCatalog) catalog).loadTable(name);
    } catch (Exception error) {
      return error;
    }
  }

  public boolean isView(CatalogPlugin catalog, Identifier name) {
    if (!(catalog instanceof ViewCatalog)) return false;
    try {
      ((ViewCatalog) catalog).loadView(name);
      return true;
    } catch (Exception error) {
      return false;
    }
  }

  /** Whether a table just loaded may be an older one, from Iceberg's cache of tables or one that is not known. */
  public boolean mayBeOld(CatalogPlugin catalog) {
    if (!(catalog instanceof HasIcebergCatalog)) return true;
    Object icebergCatalog = ((HasIcebergCatalog) catalog).icebergCatalog();
    return icebergCatalog instanceof CachingCatalog
      || !icebergCatalog.getClass().getName().startsWith("org.apache.iceberg.");
  }
}

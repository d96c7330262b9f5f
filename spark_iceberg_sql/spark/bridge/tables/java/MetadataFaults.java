package sparkicebergsql;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.BaseMetadataTable;
import org.apache.iceberg.CachingCatalog;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.hadoop.HadoopTableOperations;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.source.HasIcebergCatalog;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import scala.Product;
import scala.collection.Iterable;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Why a statement's tables cannot be read: the tables that it names, their metadata files, and unknown transforms. */
public class MetadataFaults {
  private static final int DEPTH = 200;

  /** The parts of each name, in the order of the statement. */
  public List<List<String>> names(Object plan) {
    List<List<String>> names = new ArrayList<>();
    collect(plan, names, 0);
    return names;
  }

  private static void collect(Object node, List<List<String>> names, int depth) {
    if (depth > DEPTH) return;
    if (node instanceof Product) {
      List<String> name = name((Product) node);
      if (name != null) names.add(name);
      Iterator<Object> elements = ((Product) node).productIterator();
      while (elements.hasNext()) collect(elements.next(), names, depth + 1);
    } else if (node instanceof Iterable) {
      Iterator<?> elements = ((Iterable<?>) node).iterator();
      while (elements.hasNext()) collect(elements.next(), names, depth + 1);
    }
  }

  /** The name in Spark's nodes for tables that are not resolved, and in Iceberg's commands; null for other nodes. */
  private static List<String> name(Product node) {
    String className = node.getClass().getSimpleName();
    boolean isCommand = node.getClass().getName().startsWith("org.apache.spark.sql.catalyst.plans.logical.")
      && className.endsWith("PartitionField");
    if (!isCommand && !className.matches("Unresolved(Relation|Table|TableOrView|Identifier)")) return null;
    Object parts = node.productElement(0);
    if (!(parts instanceof Seq)) return null;
    List<String> name = new ArrayList<>();
    Iterator<?> elements = ((Seq<?>) parts).iterator();
    while (elements.hasNext()) name.add(String.valueOf(elements.next()));
    return name;
  }

  /** The file that a catalog of folders reads; null for other catalogs, and if there is none. */
  public String metadataFile(CatalogPlugin catalog, Identifier name) {
    try {
      if (!(catalog instanceof HasIcebergCatalog)) return null;
      Object icebergCatalog = ((HasIcebergCatalog) catalog).icebergCatalog();
      if (icebergCatalog instanceof CachingCatalog) {
        Field cached = CachingCatalog.class.getDeclaredField("catalog");
        cached.setAccessible(true);
        icebergCatalog = cached.get(icebergCatalog);
      }
      if (!(icebergCatalog instanceof HadoopCatalog)) return null;
      TableIdentifier table = Spark3Util.identifierToTableIdentifier(name);
      Object operations =
        call(HadoopCatalog.class, icebergCatalog, "newTableOps", TableIdentifier.class, (Object) table);
      Object version = call(HadoopTableOperations.class, operations, "findVersion", null, null);
      Object file = call(HadoopTableOperations.class, operations, "getMetadataFile", int.class, version);
      return file == null ? null : file.toString();
    } catch (Exception none) {
      return null;
    }
  }

  /** The first partition field with a transform that Iceberg does not know: its name and transform; null if none. */
  public List<String> unknownTransform(TableMetadata metadata) {
    for (Object spec : metadata.specs()) {
      for (Object field : ((PartitionSpec) spec).fields()) {
        Object transform = ((PartitionField) field).transform();
        if (!transform.getClass().getSimpleName().equals("UnknownTransform")) continue;
        List<String> unknown = new ArrayList<>();
        unknown.add(((PartitionField) field).name());
        unknown.add(transform.toString());
        return unknown;
      }
    }
    return null;
  }

  /** The metadata of Spark's or Iceberg's table, or of the one that a metadata table is about; null for others. */
  public TableMetadata metadata(Object table) {
    Object dataTable = table instanceof SparkTable ? ((SparkTable) table).table() : table;
    if (dataTable instanceof BaseMetadataTable) dataTable = ((BaseMetadataTable) dataTable).table();
    return dataTable instanceof HasTableOperations ? ((HasTableOperations) dataTable).operations().current() : null;
  }

  /** Calls a method that is not public. type: of its argument; null for a method without one. */
  private static Object call(Class<?> owner, Object target, String name, Class<?> type, Object argument)
    throws ReflectiveOperationException {
    Method method = owner.getDeclaredMethod(name, type == null ? new Class<?>[0] : new Class<?>[] {type});
    method.setAccessible(true);
    return method.invoke(target, type == null ? new Object[0] : new Object[] {argument});
  }
}

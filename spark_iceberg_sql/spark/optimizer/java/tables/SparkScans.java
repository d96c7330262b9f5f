package sparkicebergsql;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.expressions.Expression;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.Option;
import scala.collection.immutable.Seq;

/** Iceberg's scans in Spark, whose classes are not public. */
public final class SparkScans {
  /** The scan of a query. */
  public static final String OF_QUERY = "org.apache.iceberg.spark.source.SparkBatchQueryScan";
  /** The scan of the files that a DELETE, an UPDATE or a MERGE replaces. */
  public static final String OF_REPLACED_FILES = "org.apache.iceberg.spark.source.SparkCopyOnWriteScan";
  /** The field of the builder and the method of the scan: of Iceberg 1.12 on Spark 4.1, and before. */
  public static final String[] FILTERS = {"filters", "filterExpressions"};

  private SparkScans() {}

  /** Whether a scan reads data files of a snapshot: not files of a rewrite, changes, or an answer from metadata. */
  public static boolean readsFiles(Scan scan) {
    String name = scan.getClass().getName();
    return name.equals(OF_QUERY) || name.equals(OF_REPLACED_FILES);
  }

  /**
   * A relation with another scan, and the rest as it is.
   *
   * <p>Its `copy` has more parameters from one Spark to the next: two in 4.2 and 4.3.
   */
  public static DataSourceV2ScanRelation replaced(
    DataSourceV2ScanRelation scanned, DataSourceV2Relation relation, Scan scan) {
    Object[] arguments = new Object[scanned.productArity()];
    for (int i = 0; i < arguments.length; i++) arguments[i] = scanned.productElement(i);
    arguments[0] = relation;
    arguments[1] = scan;
    return (DataSourceV2ScanRelation) (Object) scanned.makeCopy(arguments);
  }

  // The place of keyGroupedPartitioning, after the relation, the scan and its output. (Scala 2.12 knows no names.)
  private static final int GROUPED_BY = 3;

  /** A relation with a scan that is partitioned by some expressions, or by none that are known: null. */
  public static DataSourceV2ScanRelation grouped(
    DataSourceV2ScanRelation scanned, Scan scan, Seq<org.apache.spark.sql.catalyst.expressions.Expression> by) {
    Object[] arguments = new Object[scanned.productArity()];
    for (int i = 0; i < arguments.length; i++) arguments[i] = scanned.productElement(i);
    arguments[GROUPED_BY] = Option.apply(by);
    return replaced(
      (DataSourceV2ScanRelation) (Object) scanned.makeCopy(arguments), (DataSourceV2Relation) scanned.relation(), scan);
  }

  /** The filters of a scan, as Iceberg's expressions. */
  @SuppressWarnings("unchecked")
  public static List<Expression> filters(Scan scan) throws ReflectiveOperationException {
    return (List<Expression>) value(scan, FILTERS);
  }

  /** The files and parts of files that a scan reads: planned once, by the scan, which keeps them. */
  public static List<ScanTask> tasks(Scan scan) throws ReflectiveOperationException {
    List<ScanTask> tasks = new ArrayList<>();
    for (Object group : (List<?>) value(scan, new String[] {"taskGroups"}))
      for (Object task : ((ScanTaskGroup<?>) group).tasks()) tasks.add((ScanTask) task);
    return tasks;
  }

  /** The field of an object, or of a class above its own, that has one of these names; null if there is none. */
  public static Field field(Object holder, String[] names) {
    for (Class<?> c = holder.getClass(); c != null; c = c.getSuperclass())
      for (Field field : c.getDeclaredFields())
        for (String name : names)
          if (field.getName().equals(name)) {
            field.setAccessible(true);
            return field;
          }
    return null;
  }

  /** What the method of a scan without parameters returns that has one of these names. */
  public static Object value(Scan scan, String[] names) throws ReflectiveOperationException {
    for (Class<?> c = scan.getClass(); c != null; c = c.getSuperclass())
      for (Method method : c.getDeclaredMethods())
        for (String name : names)
          if (method.getName().equals(name) && method.getParameterCount() == 0) {
            method.setAccessible(true);
            return method.invoke(scan, new Object[0]);
          }
    throw new NoSuchMethodException(names[0] + " of " + scan.getClass().getName());
  }
}

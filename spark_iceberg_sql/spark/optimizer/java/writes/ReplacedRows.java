package sparkicebergsql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.util.PartitionSet;

/**
 * The commit of a DELETE, refused if another writer may have replaced rows that it removes: if a snapshot since the one
 * that it has read adds rows, and deletes of rows in one of its files.
 *
 * <p>A snapshot that only deletes rows is none: they are gone either way. Iceberg itself refuses a DELETE whose data files
 * others have rewritten, or have given a deletion vector.
 */
public final class ReplacedRows extends CommitCheck implements InvocationHandler {
  private final Table table;
  private final RowDelta delta;
  /** Of the rows to delete. */
  private final PartitionSet partitions;
  private final Set<String> files = new HashSet<>();
  private Long start;

  private ReplacedRows(Table table, RowDelta delta) {
    this.table = table;
    this.delta = delta;
    partitions = PartitionSet.create(table.specs());
  }

  /** The same table, whose row-level changes are checked so; null if it is such a one. */
  public static Table checked(Table table) {
    if (Delegation.handler(table) != null) return null;
    Set<Class<?>> types =
      table instanceof HasTableOperations ? Set.of(Table.class, HasTableOperations.class) : Set.of(Table.class);
    return (Table) Delegation.of(Table.class.getClassLoader(), types, new CheckedTable(table));
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "addDeletes":
        DeleteFile added = (DeleteFile) arguments[0];
        partitions.add(added.specId(), added.partition());
        break;
      case "validateDataFilesExist":
        for (Object file : (Iterable<?>) arguments[0]) files.add(file.toString());
        break;
      case "validateFromSnapshot":
        start = (Long) arguments[0];
        break;
      case "commit":
        if (start != null && !partitions.isEmpty()) add(delta, this);
        break;
      default:
    }
    Object result = Delegation.pass(delta, method, arguments);
    return result == delta ? self : result;
  }

  @Override
  public void refuse(Iterable<Snapshot> ancestors) {
    for (Snapshot snapshot : ancestors) {
      if (snapshot.snapshotId() == start.longValue()) return;
      if (!DataOperations.OVERWRITE.equals(snapshot.operation())) continue;
      DeleteFile deletes = ofOurs(snapshot);
      if (deletes != null && addsRows(table, snapshot))
        throw new ValidationException(
          "Found conflicting changes: rows of this DELETE may have been replaced by snapshot %s, in delete file %s",
          Long.valueOf(snapshot.snapshotId()), FileAddress.of(deletes));
    }
  }

  /** A delete file of a snapshot that may delete rows of this DELETE; null if there is none. */
  private DeleteFile ofOurs(Snapshot snapshot) {
    for (DeleteFile deletes : addedDeletes(table, snapshot))
      if (mayDeleteOurs(deletes)) return deletes;
    return null;
  }

  private boolean mayDeleteOurs(DeleteFile deletes) {
    boolean isSamePartition = partitions.contains(deletes.specId(), deletes.partition());
    if (deletes.content() == FileContent.EQUALITY_DELETES) {
      PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(deletes.specId()));
      return isSamePartition || spec == null || spec.isUnpartitioned(); // one without partitions is of all rows
    }
    String file = ReferencedFile.of(deletes);
    return isSamePartition && (file == null || files.contains(file));
  }

  /** The table, with such row-level changes. */
  private static final class CheckedTable implements InvocationHandler {
    private final Table table;

    CheckedTable(Table table) { this.table = table; }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
      Object result = Delegation.pass(table, method, arguments);
      if (!method.getName().equals("newRowDelta")) return result;
      return Delegation.of(
        Table.class.getClassLoader(), Set.of(RowDelta.class), new ReplacedRows(table, (RowDelta) result));
    }
  }
}

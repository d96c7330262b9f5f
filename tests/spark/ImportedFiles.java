package sparkicebergsql.tests;

import java.io.IOException;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;

/** Adds the data files of a table to another one, under the partition that a program states for them. */
public class ImportedFiles {
  public void add(Table source, Table target, String partition) throws IOException {
    AppendFiles append = target.newAppend();
    CloseableIterable<FileScanTask> tasks = ((TableScan) source.newScan().includeColumnStats()).planFiles();
    try {
      for (FileScanTask task : tasks)
        append.appendFile((DataFile) DataFiles.builder(target.spec())
            .copy((DataFile) task.file())
            .withPartitionPath(partition)
            .build());
    } finally {
      tasks.close();
    }
    append.commit();
  }
}

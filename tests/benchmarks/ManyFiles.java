package sparkicebergsql.benchmarks;

import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Table;

/** Commits data files that do not exist: what a plan reads is metadata. */
public class ManyFiles {
  /** files: in all. perCommit: of them, and so per manifest. */
  public void append(Table table, int files, int perCommit) {
    String field = ((PartitionField) table.spec().fields().get(0)).name();
    String folder = "file:/nowhere/" + table.spec().specId() + "/";
    for (int offset = 0; offset < files; offset += perCommit) {
      AppendFiles append = table.newFastAppend();
      for (int i = offset; i < offset + perCommit; i++) {
        DataFiles.Builder file = DataFiles.builder(table.spec());
        file.withPath(folder + i + ".parquet")
          .withFormat("parquet")
          .withFileSizeInBytes(1000L + i)
          .withRecordCount(10L);
        file.withPartitionPath(field + "=" + i % 16);
        append.appendFile((DataFile) file.build());
      }
      append.commit();
    }
  }
}

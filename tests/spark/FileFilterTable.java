package sparkicebergsql.probes;

import java.io.File;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.Files;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.orc.GenericOrcReader;
import org.apache.iceberg.data.orc.GenericOrcWriter;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.parquet.ParquetBloomRowGroupFilter;
import org.apache.iceberg.parquet.ParquetDictionaryRowGroupFilter;
import org.apache.iceberg.parquet.ParquetMetricsRowGroupFilter;
import org.apache.iceberg.shaded.org.apache.orc.TypeDescription;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.iceberg.shaded.org.apache.parquet.schema.MessageType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** The filters of Iceberg's readers on row groups and stripes of real files, against their rows. */
public class FileFilterTable {
  private static final String DICTIONARY = "dictionary", PLAIN = "plain", BLOOM = "Bloom filter",
                              BARE = "no statistics";
  /** A value that occurs so often is encoded by a dictionary, and one that occurs once is not. */
  private static final int REPETITIONS = 40;
  /** How many predicates of an operator are tried on a file that is opened for each. */
  private static final int ORC_PREDICATES = 3;
  private final Verdicts verdicts = new Verdicts();

  /** folder: where the files are written. */
  public String text(String folder) throws Exception {
    for (ColumnCase column : ColumnCase.all()) {
      List<List<Object>> sets = column.rowSets(1);
      List<Object> last = column.values.subList(column.values.size() - 2, column.values.size());
      sets.add(column.values);
      sets.add(last);
      for (List<Object> rows : sets) {
        if (rows.isEmpty()) continue;
        for (String kind : List.of(DICTIONARY, PLAIN, BLOOM, BARE)) parquet(column, rows, kind, folder);
      }
      orc(column, column.values, folder);
      orc(column, last, folder);
    }
    return verdicts.text();
  }

  private static List<Record> records(ColumnCase column, List<Object> rows, int repetitions) {
    List<Record> records = new ArrayList<>();
    for (int i = 0; i < repetitions * rows.size(); i++) {
      Object value = rows.get(i % rows.size());
      if (value != null && column.type.typeId() == Type.TypeID.DATE)
        value = LocalDate.ofEpochDay(((Integer) value).longValue());
      if (value != null && column.type.typeId() == Type.TypeID.TIMESTAMP)
        value =
          OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC).plus(((Long) value).longValue(), ChronoUnit.MICROS);
      Record record = GenericRecord.create(column.schema);
      if (column.isNested) {
        // A null is a struct that is null.
        Record struct = GenericRecord.create((Types.StructType) column.schema.findType("s"));
        struct.set(0, value);
        record.set(0, value == null ? null : struct)
        ;
      } else {
        record.set(0, value)
        ;
      }
      records.add(record);
    }
    return records;
  }

  private static File file(String folder) { return new File(folder, UUID.randomUUID().toString()); }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private void parquet(ColumnCase column, List<Object> rows, String kind, String folder) throws Exception {
    File file = file(folder);
    Parquet.WriteBuilder builder =
      Parquet.write(Files.localOutput(file))
        .schema(column.schema)
        .set("write.parquet.bloom-filter-enabled.column." + column.path, kind.equals(BLOOM) ? "true" : "false")
        .set("write.parquet.bloom-filter-max-bytes", "1024")
        .set("write.parquet.stats-enabled.column." + column.path, kind.equals(BARE) ? "false" : "true");
    final Schema schema = column.schema;
    builder.createWriterFunc((Function) new Function<Object, Object>() {
      @Override
      public Object apply(Object type) {
        return GenericParquetWriter.create(schema, (MessageType) type);
      }
    });
    FileAppender<Record> appender = builder.build();
    appender.addAll(records(column, rows, kind.equals(DICTIONARY) ? REPETITIONS : 1));
    appender.close();
    ParquetFileReader reader =
      ParquetFileReader.open(HadoopInputFile.fromPath(new Path(file.toURI()), new Configuration(false)));
    try {
      MessageType type = reader.getFileMetaData().getSchema();
      BlockMetaData block = (BlockMetaData) reader.getRowGroups().get(0);
      Map<String, List<Expression>> predicates = column.predicates();
      for (String operator : predicates.keySet())
        for (Expression e : (List<Expression>) predicates.get(operator)) {
          Object answer;
          try {
            if (kind.equals(BLOOM))
              answer = Boolean.valueOf(new ParquetBloomRowGroupFilter(schema, e).shouldRead(
                type, block, reader.getBloomFilterDataReader(block)));
            else if (kind.equals(DICTIONARY))
              answer = Boolean.valueOf(new ParquetDictionaryRowGroupFilter(schema, e).shouldRead(
                type, block, reader.getDictionaryReader(block)));
            else answer = Boolean.valueOf(new ParquetMetricsRowGroupFilter(schema, e).shouldRead(type, block));
          } catch (RuntimeException failure) {
            answer = failure;
          }
          add("Parquet row group: " + kind, operator, column, e, rows, answer);
        }
    } finally {
      reader.close();
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private void orc(ColumnCase column, List<Object> rows, String folder) throws Exception {
    File file = file(folder);
    ORC.WriteBuilder builder = ORC.write(Files.localOutput(file)).schema(column.schema);
    builder.createWriterFunc((BiFunction) new BiFunction<Object, Object, Object>() {
      @Override
      public Object apply(Object schema, Object type) {
        return GenericOrcWriter.buildWriter((Schema) schema, (TypeDescription) type);
      }
    });
    FileAppender<Record> appender = builder.build();
    appender.addAll(records(column, rows, 1));
    appender.close();
    final Schema schema = column.schema;
    Map<String, List<Expression>> predicates = column.predicates();
    for (String operator : predicates.keySet()) {
      List<Expression> all = (List<Expression>) predicates.get(operator);
      for (Expression e : all.subList(0, Math.min(ORC_PREDICATES, all.size()))) {
        ORC.ReadBuilder read = ORC.read(Files.localInput(file)).project(schema).filter(e);
        read.createReaderFunc((Function) new Function<Object, Object>() {
          @Override
          public Object apply(Object type) {
            return GenericOrcReader.buildReader(schema, (TypeDescription) type);
          }
        });
        Object answer;
        try {
          CloseableIterable<Record> records = read.build();
          answer = Boolean.valueOf(records.iterator().hasNext());
          records.close();
        } catch (RuntimeException failure) {
          answer = failure;
        }
        add("ORC stripe: statistics", operator, column, e, rows, answer);
      }
    }
  }

  private void add(
    String evaluator, String operator, ColumnCase column, Expression e, List<Object> rows, Object answer) {
    verdicts.inclusive(evaluator, operator, column, e, List.of(rows), answer);
  }
}

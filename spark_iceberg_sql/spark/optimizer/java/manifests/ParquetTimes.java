package sparkicebergsql;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.iceberg.shaded.org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.iceberg.shaded.org.apache.parquet.schema.MessageType;
import org.apache.iceberg.shaded.org.apache.parquet.schema.Type;

/** The unit of each timestamp in a Parquet file, from its footer: a manifest does not say in which unit its bounds are. */
public final class ParquetTimes {
  /** The table property by which fields without ids are identified: set where files were imported. */
  public static final String MAPPING = "schema.name-mapping.default";

  private ParquetTimes() {}

  /**
   * By field id, MILLIS, MICROS or NANOS. Fields without ids are identified as Iceberg's reader does it.
   *
   * @throws IOException if the file cannot be read
   */
  public static Map<Integer, String> units(Table table, String location) throws IOException {
    MessageType schema = schema(table.io().newInputFile(location));
    if (!ParquetSchemaUtil.hasIds(schema)) {
      String mapping = (String) table.properties().get(MAPPING);
      schema = mapping == null ? ParquetSchemaUtil.addFallbackIds(schema)
                               : ParquetSchemaUtil.applyNameMapping(schema, NameMappingParser.fromJson(mapping));
    }
    Map<Integer, String> units = new HashMap<>();
    for (String[] path : schema.getPaths()) {
      Type leaf = schema.getType(path);
      String unit = unit(leaf);
      if (unit != null && leaf.getId() != null) units.put(Integer.valueOf(leaf.getId().intValue()), unit);
    }
    return units;
  }

  /** All units in a file; see above. */
  public static List<String> units(InputFile file) throws IOException {
    MessageType schema = schema(file);
    List<String> units = new ArrayList<>();
    for (String[] path : schema.getPaths()) {
      String unit = unit(schema.getType(path));
      if (unit != null && !units.contains(unit)) units.add(unit);
    }
    return units;
  }

  /** Null for a column that is no timestamp. */
  private static String unit(Type leaf) {
    Object type = leaf.getLogicalTypeAnnotation();
    if (!(type instanceof LogicalTypeAnnotation.TimestampLogicalTypeAnnotation)) return null;
    return ((LogicalTypeAnnotation.TimestampLogicalTypeAnnotation) type).getUnit().name();
  }

  private static MessageType schema(InputFile file) throws IOException {
    ParquetFileReader reader;
    try {
      Method parquet = Class.forName("org.apache.iceberg.parquet.ParquetIO", true, InputFile.class.getClassLoader())
                         .getDeclaredMethod("file", new Class<?>[] {InputFile.class});
      parquet.setAccessible(true);
      reader = ParquetFileReader.open(
        (org.apache.iceberg.shaded.org.apache.parquet.io.InputFile) parquet.invoke(null, new Object[] {file}));
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
    try {
      return reader.getFileMetaData().getSchema();
    } finally {
      reader.close();
    }
  }
}

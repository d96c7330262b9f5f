package sparkicebergsql.probes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.ManifestEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.expressions.StrictMetricsEvaluator;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;

/**
 * Iceberg's evaluators of filters on metadata against a truth that enumerates small sets of rows: an inclusive one must
 * be true if any rows with these figures have a match, a strict one false if any have another row.
 */
public class EvaluatorTable {
  private static final String[] FIGURES = {"value counts", "null counts", "NaN counts", "lower bounds", "upper bounds"};
  private final Verdicts verdicts = new Verdicts();

  public String text() throws Exception {
    for (ColumnCase column : ColumnCase.all()) {
      files(column);
      for (String transform : transforms(column)) partitions(column, transform);
    }
    return verdicts.text();
  }

  // -- Files

  private void files(ColumnCase column) {
    boolean isCut = column.type.typeId() == Type.TypeID.STRING || column.type.typeId() == Type.TypeID.BINARY;
    for (int cut = 0; cut < (isCut ? 2 : 1); cut++)
      for (int missing = 0; missing < 1 << FIGURES.length; missing++) files(column, missing, cut > 0);
  }

  private static String situation(int missing, boolean isCut) {
    String cut = isCut ? "cut bounds, " : "";
    int count = Integer.bitCount(missing);
    if (count == 0) return cut + "all figures";
    if (count == FIGURES.length) return cut + "no figures";
    return cut + (count > 1 ? "several missing" : "no " + FIGURES[Integer.numberOfTrailingZeros(missing)]);
  }

  private void files(ColumnCase column, int missing, boolean isCut) {
    Map<String, List<List<Object>>> groups = new LinkedHashMap<>();
    Map<String, DataFile> files = new HashMap<>();
    for (List<Object> rows : column.rowSets(3)) {
      DataFile file = file(column, rows, missing, isCut);
      String key = file.recordCount() + " " + file.valueCounts() + file.nullValueCounts() + file.nanValueCounts()
        + bounds(file.lowerBounds()) + bounds(file.upperBounds());
      if (!groups.containsKey(key)) groups.put(key, new ArrayList<List<Object>>());
      ((List<List<Object>>) groups.get(key)).add(rows);
      files.put(key, file);
    }
    String situation = situation(missing, isCut);
    Map<String, List<Expression>> predicates = column.predicates();
    for (String operator : predicates.keySet()) {
      for (Expression e : (List<Expression>) predicates.get(operator)) {
        InclusiveMetricsEvaluator inclusive = new InclusiveMetricsEvaluator(column.schema, e);
        StrictMetricsEvaluator strict = new StrictMetricsEvaluator(column.schema, e);
        for (String key : groups.keySet()) {
          List<List<Object>> group = (List<List<Object>>) groups.get(key);
          DataFile file = (DataFile) files.get(key);
          Object answer;
          try {
            answer = Boolean.valueOf(inclusive.eval(file));
          } catch (RuntimeException failure) {
            answer = failure;
          }
          verdicts.inclusive("file, inclusive: " + situation, operator, column, e, group, answer);
          try {
            answer = Boolean.valueOf(strict.eval(file));
          } catch (RuntimeException failure) {
            answer = failure;
          }
          verdicts.strict("file, strict: " + situation, operator, column, e, group, answer);
        }
      }
    }
  }

  private static String bounds(Map<Integer, ByteBuffer> bounds) {
    ByteBuffer bound = bounds == null ? null : (ByteBuffer) bounds.get(Integer.valueOf(ColumnCase.ID));
    return bound == null ? " none" : " " + Arrays.toString(ColumnCase.array(bound));
  }

  private static DataFile file(ColumnCase column, List<Object> rows, int missing, boolean isCut) {
    long nulls = 0, nans = 0;
    Object lower = null, upper = null;
    for (Object row : rows) {
      if (row == null) nulls++;
      else if (ColumnCase.isNaN(row)) nans++;
      else {
        if (lower == null || column.compare(row, lower) < 0) lower = row;
        if (upper == null || column.compare(row, upper) >= 0) upper = row;
      }
    }
    boolean isDouble = column.type.typeId() == Type.TypeID.DOUBLE;
    // The Iceberg spec: a bound of zero is -0.0 below and +0.0 above.
    if (isDouble && lower != null && ((Double) lower).doubleValue() == 0) lower = Double.valueOf(-0.0);
    if (isDouble && upper != null && ((Double) upper).doubleValue() == 0) upper = Double.valueOf(0.0);
    ByteBuffer from = lower == null ? null : Conversions.toByteBuffer(column.type, lower);
    ByteBuffer to = upper == null ? null : Conversions.toByteBuffer(column.type, upper);
    if (isCut && from != null && from.remaining() > 1) from = ByteBuffer.wrap(new byte[] {from.get(from.position())});
    if (isCut && to != null && to.remaining() > 1) {
      byte first = to.get(to.position());
      to = first == -1 ? null : ByteBuffer.wrap(new byte[] {(byte) (first + 1)});
    }
    Metrics metrics = new Metrics(Long.valueOf(rows.size()), null, count((missing & 1) != 0, rows.size()),
      count((missing & 2) != 0, nulls), count((missing & 4) != 0 || !isDouble, nans), bound((missing & 8) != 0, from),
      bound((missing & 16) != 0, to));
    DataFiles.Builder file = DataFiles.builder(PartitionSpec.unpartitioned());
    file.withPath("memory:/f.parquet").withFileSizeInBytes(1).withMetrics(metrics);
    return file.build();
  }

  private static Map<Integer, Long> count(boolean isMissing, long count) {
    return isMissing ? null : Map.of(Integer.valueOf(ColumnCase.ID), Long.valueOf(count));
  }

  private static Map<Integer, ByteBuffer> bound(boolean isMissing, ByteBuffer bound) {
    return isMissing || bound == null ? null : Map.of(Integer.valueOf(ColumnCase.ID), bound);
  }

  // -- Partitions

  private static List<String> transforms(ColumnCase column) {
    switch (column.type.typeId()) {
      case INTEGER:
      case STRING:
      case DECIMAL:
      case BINARY:
        return List.of("identity", "truncate", "bucket");
      case UUID:
        return List.of("identity", "bucket");
      case DATE:
        return List.of("identity", "bucket", "month", "year");
      case TIMESTAMP:
        return List.of("identity", "bucket", "day", "hour");
      default:
        return List.of("identity");
    }
  }

  private static PartitionSpec spec(ColumnCase column, String transform) {
    PartitionSpec.Builder builder = PartitionSpec.builderFor(column.schema);
    switch (transform) {
      case "identity":
        return builder.identity(column.path).build();
      case "truncate":
        return builder.truncate(column.path, 2).build();
      case "bucket":
        return builder.bucket(column.path, 3).build();
      case "month":
        return builder.month(column.path).build();
      case "year":
        return builder.year(column.path).build();
      case "day":
        return builder.day(column.path).build();
      default:
        return builder.hour(column.path).build();
    }
  }

  @SuppressWarnings("unchecked")
  private void partitions(ColumnCase column, String transform) throws Exception {
    PartitionSpec spec = spec(column, transform);
    Transform<Object, Object> function =
      (Transform<Object, Object>) ((org.apache.iceberg.PartitionField) spec.fields().get(0)).transform();
    // By partition value, which may be null.
    Map<Object, List<Object>> byPartition = new LinkedHashMap<>();
    for (Object value : column.values) {
      Object partition = function.bind(column.type).apply(value);
      if (!byPartition.containsKey(partition)) byPartition.put(partition, new ArrayList<Object>());
      ((List<Object>) byPartition.get(partition)).add(value);
    }
    Map<String, List<Expression>> predicates = column.predicates();
    for (String operator : predicates.keySet())
      for (Expression e : (List<Expression>) predicates.get(operator))
        for (Object partition : byPartition.keySet())
          partition(column, spec, transform, operator, e, partition, (List<Object>) byPartition.get(partition));
    manifests(column, spec, transform, byPartition);
  }

  private void partition(ColumnCase column, PartitionSpec spec, String transform, String operator, Expression e,
    Object partition, List<Object> rows) {
    String of = transform + (partition == null ? ", null" : "");
    GenericRecord tuple = GenericRecord.create(spec.partitionType());
    tuple.set(0, partition);
    List<List<Object>> group = List.of(rows);
    Object answer;
    try {
      answer = Boolean.valueOf(new Evaluator(spec.partitionType(), Projections.inclusive(spec).project(e)).eval(tuple));
    } catch (RuntimeException failure) {
      answer = failure;
    }
    verdicts.inclusive("partition, inclusive: " + of, operator, column, e, group, answer);
    try {
      answer = Boolean.valueOf(new Evaluator(spec.partitionType(), Projections.strict(spec).project(e)).eval(tuple));
    } catch (RuntimeException failure) {
      answer = failure;
    }
    verdicts.strict("partition, strict: " + of, operator, column, e, group, answer);
    residual(column, spec, operator, e, tuple, rows, of);
  }

  private void residual(ColumnCase column, PartitionSpec spec, String operator, Expression e, GenericRecord tuple,
    List<Object> rows, String of) {
    for (Object row : rows) {
      int verdict = Verdicts.RIGHT;
      Object answer;
      try {
        Expression residual = ResidualEvaluator.of(spec, e, true).residualFor(tuple);
        boolean isTrue = column.isTrue(residual, row), matches = column.isTrue(e, row);
        if (isTrue != matches) verdict = isTrue && row == null ? Verdicts.NULL : Verdicts.WRONG;
        answer = residual;
      } catch (RuntimeException failure) {
        verdict = Verdicts.EXCEPTION;
        answer = failure;
      }
      verdicts.add("residual: " + of, operator, column.name, verdict, Verdicts.example(e, row, answer));
    }
  }

  /** Real manifests of one file for each of some partition values. */
  private void manifests(ColumnCase column, PartitionSpec spec, String transform, Map<Object, List<Object>> byPartition)
    throws Exception {
    List<Object> partitions = new ArrayList<>(byPartition.keySet());
    Map<String, List<Expression>> predicates = column.predicates();
    for (int bits = 1; bits < 1 << partitions.size(); bits++) {
      if (Integer.bitCount(bits) > 2) continue;
      ManifestWriter<DataFile> writer = ManifestFiles.write(spec, new InMemoryOutputFile("memory:/m.avro"));
      List<Object> rows = new ArrayList<>();
      for (int i = 0; i < partitions.size(); i++) {
        if ((bits & 1 << i) == 0) continue;
        GenericRecord tuple = GenericRecord.create(spec.partitionType());
        tuple.set(0, partitions.get(i));
        DataFiles.Builder file = DataFiles.builder(spec);
        file.withPath("memory:/f.parquet").withFileSizeInBytes(1).withRecordCount(1).withPartition(tuple);
        writer.add(file.build());
        rows.addAll((List<Object>) byPartition.get(partitions.get(i)));
      }
      writer.close();
      ManifestFile manifest = writer.toManifestFile();
      List<List<Object>> group = List.of(rows);
      for (String operator : predicates.keySet())
        for (Expression e : (List<Expression>) predicates.get(operator)) {
          Object answer;
          try {
            answer = Boolean.valueOf(ManifestEvaluator.forRowFilter(e, spec, true).eval(manifest));
          } catch (RuntimeException failure) {
            answer = failure;
          }
          verdicts.inclusive("manifest: " + transform, operator, column, e, group, answer);
        }
    }
  }
}

package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.And;
import org.apache.iceberg.expressions.Binder;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.ManifestEvaluator;
import org.apache.iceberg.expressions.Or;
import org.apache.iceberg.expressions.Predicate;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.expressions.StrictMetricsEvaluator;
import org.apache.iceberg.expressions.UnboundPredicate;
import org.apache.iceberg.expressions.UnboundTerm;
import org.apache.iceberg.util.ThreadPools;

/**
 * How many data files of a snapshot each of several filters keeps, and what prunes the others: reads the manifests
 * once, in parallel as Iceberg does, with the evaluators that an Iceberg scan uses.
 */
public final class FilterFileCounts {
  private static final Set<Expression.Operation> NEGATIONS = Set.of(Expression.Operation.NOT_EQ,
    Expression.Operation.NOT_IN, Expression.Operation.NOT_STARTS_WITH, Expression.Operation.NOT_NAN);
  private static final List<String> FIGURES =
    List.of("value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds");
  private final Schema schema;
  private final boolean caseSensitive;
  private final Map<Integer, PartitionSpec> specs = new HashMap<>();

  public FilterFileCounts(Schema schema, boolean caseSensitive) {
    this.schema = schema;
    this.caseSensitive = caseSensitive;
  }

  /** The JSON of SnapshotFilters. */
  @SuppressWarnings("unchecked")
  public String of(Table table, Snapshot snapshot, List<Expression> filters) throws Exception {
    boolean current = schema.sameSchema(table.schema());
    for (PartitionSpec spec : table.specs().values())
      specs.put(Integer.valueOf(spec.specId()), current ? spec : spec.toUnbound().bind(schema));
    boolean readsFigures = false;
    for (Expression filter : filters) readsFigures |= filter.op() != Expression.Operation.TRUE;
    List<String> columns = new ArrayList<>(List.of("partition", "record_count", "file_size_in_bytes"));
    if (readsFigures) columns.addAll(FIGURES);
    List<Future<Counts>> parts = new ArrayList<>();
    for (ManifestFile manifest : snapshot.dataManifests(table.io()))
      parts.add(
        (Future<Counts>) ThreadPools.getWorkerPool().submit(new Read(table, manifest, columns, new Counts(filters))));
    Counts counts = new Counts(filters);
    for (Future<Counts> part : parts) counts.add((Counts) part.get());
    SnapshotFilters result = new SnapshotFilters();
    FileTotal total = counts.total.total();
    result.files = total.files;
    result.bytes = total.bytes;
    result.manifests = Long.valueOf(parts.size());
    result.specs = bySpec(counts.bySpec);
    result.filters = new ArrayList<>();
    for (Filter filter : counts.filters) result.filters.add(filter.result());
    return new ObjectMapper().writeValueAsString(result);
  }

  /** What is counted of some manifests. */
  final class Counts {
    final FileSum total = new FileSum();
    final Map<Integer, FileSum> bySpec = new LinkedHashMap<>();
    final List<Filter> filters = new ArrayList<>();

    Counts(List<Expression> expressions) {
      for (Expression expression : expressions) filters.add(new Filter(expression));
    }

    /** Adds those of later manifests. */
    void add(Counts others) {
      total.add(others.total);
      FilterFileCounts.add(bySpec, others.bySpec);
      for (int i = 0; i < filters.size(); i++) ((Filter) filters.get(i)).add((Filter) others.filters.get(i));
    }
  }

  private final class Read implements Callable<Counts> {
    private final Table table;
    private final ManifestFile manifest;
    private final List<String> columns;
    private final Counts counts;

    Read(Table table, ManifestFile manifest, List<String> columns, Counts counts) {
      this.table = table;
      this.manifest = manifest;
      this.columns = columns;
      this.counts = counts;
    }

    @Override
    public Counts call() throws IOException {
      for (Filter filter : counts.filters) filter.count(manifest);
      LiveFiles files = new LiveFiles(ManifestFiles.read(manifest, table.io(), specs).select(columns));
      try {
        for (DataFile file = files.next(); file != null; file = files.next()) {
          counts.total.add(file);
          of(counts.bySpec, Integer.valueOf(file.specId())).add(file);
          for (Filter filter : counts.filters) filter.count(file);
        }
      } finally {
        files.close();
      }
      return counts;
    }
  }

  /** A number of files and their bytes: without an object for each file that is added. */
  static final class FileSum {
    long files = 0, bytes = 0;

    void add(DataFile file) {
      files++;
      bytes += file.fileSizeInBytes();
    }

    void add(FileSum other) {
      files += other.files;
      bytes += other.bytes;
    }

    FileTotal total() {
      FileTotal total = new FileTotal();
      total.files = Long.valueOf(files);
      total.bytes = Long.valueOf(bytes);
      return total;
    }
  }

  private static FileSum of(Map<Integer, FileSum> sums, Integer key) {
    FileSum sum = (FileSum) sums.get(key);
    if (sum == null) {
      sum = new FileSum();
      sums.put(key, sum);
    }
    return sum;
  }

  static void add(Map<Integer, FileSum> sums, Map<Integer, FileSum> others) {
    for (Map.Entry<Integer, FileSum> other : others.entrySet())
      of(sums, (Integer) other.getKey()).add((FileSum) other.getValue());
  }

  /** By the text of a spec's id. */
  private static Map<String, FileTotal> bySpec(Map<Integer, FileSum> sums) {
    Map<String, FileTotal> totals = new LinkedHashMap<>();
    for (Map.Entry<Integer, FileSum> entry : sums.entrySet())
      totals.put(String.valueOf(entry.getKey()), ((FileSum) entry.getValue()).total());
    return totals;
  }

  /** Splits a conjunction. */
  static void conjuncts(Expression e, List<Expression> into) {
    if (e instanceof And) {
      conjuncts(((And) e).left(), into);
      conjuncts(((And) e).right(), into);
    } else if (e.op() != Expression.Operation.TRUE) {
      into.add(e);
    }
  }

  /** A filter that is true where it is so in SQL: Iceberg takes `a <> 1` for true where a is null. */
  static Expression inSql(Expression e) {
    if (e instanceof And) return Expressions.and(inSql(((And) e).left()), inSql(((And) e).right()));
    if (e instanceof Or) return Expressions.or(inSql(((Or) e).left()), inSql(((Or) e).right()));
    if (!(e instanceof UnboundPredicate) || !NEGATIONS.contains(e.op())) return e;
    return Expressions.and(Expressions.notNull((UnboundTerm<?>) ((Predicate<?, ?>) e).term()), e);
  }

  /** A filter under one spec: its projection on partition values, and each part of that with its fields. */
  class UnderSpec {
    final ManifestEvaluator manifests;
    final Evaluator partitions;
    final Evaluator strict;
    final List<Evaluator> parts = new ArrayList<>();
    final List<PruningFields> fields = new ArrayList<>();

    UnderSpec(Expression filter, PartitionSpec spec) {
      manifests = ManifestEvaluator.forRowFilter(filter, spec, caseSensitive);
      Expression projected = Projections.inclusive(spec, caseSensitive).project(filter);
      partitions = new Evaluator(spec.partitionType(), projected, caseSensitive);
      Expression certain = Projections.strict(spec, caseSensitive).project(inSql(Expressions.rewriteNot(filter)));
      strict = new Evaluator(spec.partitionType(), certain, caseSensitive);
      List<Expression> split = new ArrayList<>();
      conjuncts(projected, split);
      for (Expression part : split) {
        parts.add(new Evaluator(spec.partitionType(), part, caseSensitive));
        fields.add(fields(spec, Binder.boundReferences(spec.partitionType(), List.of(part), caseSensitive)));
      }
    }

    private PruningFields fields(PartitionSpec spec, Set<Integer> ids) {
      PruningFields result = new PruningFields();
      result.terms = new ArrayList<>();
      for (PartitionField field : spec.fields()) {
        if (!ids.contains(Integer.valueOf(field.fieldId()))) continue;
        PartitionTerm term = new PartitionTerm();
        term.transform = field.transform().toString();
        term.column = spec.schema().findColumnName(field.sourceId());
        result.terms.add(term);
      }
      return result;
    }
  }

  /** A filter and what it keeps so far. */
  class Filter {
    private final Expression filter;
    private final InclusiveMetricsEvaluator bounds;
    private final StrictMetricsEvaluator strict;
    private final Set<Integer> columns;
    private final Map<Integer, UnderSpec> underSpecs = new HashMap<>();
    private final FileSum byPartitions = new FileSum(), kept = new FileSum(), complete = new FileSum();
    /** By the text of the fields: several specs may have the same ones. */
    private final Map<String, PruningFields> prunedBy = new LinkedHashMap<>();
    /** By the id of the column. */
    private final Map<Integer, FileSum> withoutBounds = new LinkedHashMap<>();
    private final Map<Integer, FileSum> keptBySpec = new LinkedHashMap<>();
    private long manifests = 0;

    Filter(Expression filter) {
      this.filter = filter;
      bounds = new InclusiveMetricsEvaluator(schema, filter, caseSensitive);
      strict = new StrictMetricsEvaluator(schema, inSql(Expressions.rewriteNot(filter)), caseSensitive);
      columns = Binder.boundReferences(schema.asStruct(), List.of(filter), caseSensitive);
    }

    void add(Filter other) {
      manifests += other.manifests;
      byPartitions.add(other.byPartitions);
      kept.add(other.kept);
      complete.add(other.complete);
      for (Map.Entry<String, PruningFields> fields : other.prunedBy.entrySet())
        prunedBy.putIfAbsent((String) fields.getKey(), (PruningFields) fields.getValue());
      FilterFileCounts.add(withoutBounds, other.withoutBounds);
      FilterFileCounts.add(keptBySpec, other.keptBySpec);
    }

    private UnderSpec under(int id) {
      Integer key = Integer.valueOf(id);
      if (!underSpecs.containsKey(key)) underSpecs.put(key, new UnderSpec(filter, (PartitionSpec) specs.get(key)));
      return (UnderSpec) underSpecs.get(key);
    }

    void count(ManifestFile manifest) {
      if (!manifest.hasAddedFiles() && !manifest.hasExistingFiles()) return; // only removed ones: a scan skips it
      if (under(manifest.partitionSpecId()).manifests.eval(manifest)) manifests++;
    }

    void count(DataFile file) {
      UnderSpec under = under(file.specId());
      for (int i = 0; i < under.parts.size(); i++)
        if (skips((Evaluator) under.parts.get(i), file)) prunedBy((PruningFields) under.fields.get(i));
      for (Integer id : columns)
        if (!hasBounds(file, id)) of(withoutBounds, id).add(file);
      if (under.strict.eval(file.partition()) || strict.eval(file)) complete.add(file);
      if (!under.partitions.eval(file.partition())) return;
      byPartitions.add(file);
      if (!bounds.eval(file)) return;
      kept.add(file);
      of(keptBySpec, Integer.valueOf(file.specId())).add(file);
    }

    private void prunedBy(PruningFields fields) {
      StringBuilder key = new StringBuilder();
      for (PartitionTerm term : fields.terms) key.append(term.transform).append(' ').append(term.column).append('\n');
      prunedBy.putIfAbsent(key.toString(), fields);
    }

    /** Iceberg 1.11 does not evaluate IN for a null; in the complete filter, IS NOT NULL skips that file before. */
    private boolean skips(Evaluator part, DataFile file) {
      try {
        return !part.eval(file.partition());
      } catch (NullPointerException e) {
        return false;
      }
    }

    private boolean hasBounds(DataFile file, Integer id) {
      if (file.lowerBounds() != null && file.lowerBounds().containsKey(id)) return true;
      // A file with only nulls has no bounds, and needs none.
      Long nulls = file.nullValueCounts() == null ? null : (Long) file.nullValueCounts().get(id);
      return nulls != null && nulls.longValue() == file.recordCount();
    }

    FilterFiles result() {
      FilterFiles result = new FilterFiles();
      result.manifests = Long.valueOf(manifests);
      result.byPartitions = byPartitions.total();
      result.kept = kept.total();
      result.complete = complete.total();
      result.prunedBy = new ArrayList<PruningFields>(prunedBy.values());
      result.withoutBounds = new LinkedHashMap<>();
      for (Map.Entry<Integer, FileSum> entry : withoutBounds.entrySet())
        result.withoutBounds.put(
          schema.findColumnName(((Integer) entry.getKey()).intValue()), ((FileSum) entry.getValue()).total());
      result.specs = bySpec(keptBySpec);
      return result;
    }
  }
}

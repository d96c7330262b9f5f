package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
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

/**
 * How many data files of a snapshot each of several filters keeps, and what prunes the others: reads the manifests
 * once, with the evaluators that an Iceberg scan uses.
 */
public final class KeptFiles {
  private static final Set<Expression.Operation> NEGATIONS = Set.of(Expression.Operation.NOT_EQ,
    Expression.Operation.NOT_IN, Expression.Operation.NOT_STARTS_WITH, Expression.Operation.NOT_NAN);
  private final Schema schema;
  private final boolean caseSensitive;
  private final Map<Integer, PartitionSpec> specs = new HashMap<>();

  public KeptFiles(Schema schema, boolean caseSensitive) {
    this.schema = schema;
    this.caseSensitive = caseSensitive;
  }

  /** As JSON: files, bytes and manifests of the snapshot, files of each spec, and what each filter keeps. */
  public String of(Table table, Snapshot snapshot, List<Expression> filters) throws IOException {
    boolean current = schema.sameSchema(table.schema());
    for (PartitionSpec spec : table.specs().values())
      specs.put(Integer.valueOf(spec.specId()), current ? spec : spec.toUnbound().bind(schema));
    List<Filter> each = new ArrayList<>();
    for (Expression filter : filters) each.add(new Filter(filter));
    long[] all = new long[3];
    Map<String, long[]> bySpec = new LinkedHashMap<>();
    for (ManifestFile manifest : snapshot.dataManifests(table.io())) {
      all[2]++;
      for (Filter filter : each) filter.see(manifest);
      ManifestReader<DataFile> reader = ManifestFiles.read(manifest, table.io(), specs);
      try {
        for (DataFile file : reader) {
          add(all, file);
          count(bySpec, String.valueOf(file.specId()), file);
          for (Filter filter : each) filter.see(file);
        }
      } finally {
        reader.close();
      }
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("all", all);
    result.put("specs", bySpec);
    List<Object> found = new ArrayList<>();
    for (Filter filter : each) found.add(filter.result());
    result.put("filters", found);
    return new ObjectMapper().writeValueAsString(result);
  }

  static void add(long[] count, DataFile file) {
    count[0]++;
    count[1] += file.fileSizeInBytes();
  }

  static void count(Map<String, long[]> counts, String key, DataFile file) {
    if (!counts.containsKey(key)) counts.put(key, new long[2]);
    add((long[]) counts.get(key), file);
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
    final List<String> fields = new ArrayList<>();

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
        fields.add(names(spec, Binder.boundReferences(spec.partitionType(), List.of(part), caseSensitive)));
      }
    }

    private String names(PartitionSpec spec, Set<Integer> ids) {
      StringBuilder names = new StringBuilder();
      for (PartitionField field : spec.fields()) {
        if (!ids.contains(Integer.valueOf(field.fieldId()))) continue;
        if (names.length() > 0) names.append("\n");
        names.append(field.transform()).append("\t").append(spec.schema().findColumnName(field.sourceId()));
      }
      return names.toString();
    }
  }

  /** A filter and what it keeps so far. */
  class Filter {
    private final Expression filter;
    private final InclusiveMetricsEvaluator bounds;
    private final StrictMetricsEvaluator strict;
    private final Set<Integer> columns;
    private final Map<Integer, UnderSpec> underSpecs = new HashMap<>();
    private final long[] byPartitions = new long[2], kept = new long[2], whole = new long[2];
    private final Map<String, long[]> pruned = new LinkedHashMap<>(), withoutBounds = new LinkedHashMap<>();
    private final Map<String, long[]> keptBySpec = new LinkedHashMap<>();
    private long manifests = 0;

    Filter(Expression filter) {
      this.filter = filter;
      bounds = new InclusiveMetricsEvaluator(schema, filter, caseSensitive);
      strict = new StrictMetricsEvaluator(schema, inSql(Expressions.rewriteNot(filter)), caseSensitive);
      columns = Binder.boundReferences(schema.asStruct(), List.of(filter), caseSensitive);
    }

    private UnderSpec under(int id) {
      Integer key = Integer.valueOf(id);
      if (!underSpecs.containsKey(key)) underSpecs.put(key, new UnderSpec(filter, (PartitionSpec) specs.get(key)));
      return (UnderSpec) underSpecs.get(key);
    }

    void see(ManifestFile manifest) {
      if (!manifest.hasAddedFiles() && !manifest.hasExistingFiles()) return; // only removed ones: a scan skips it
      if (under(manifest.partitionSpecId()).manifests.eval(manifest)) manifests++;
    }

    void see(DataFile file) {
      UnderSpec under = under(file.specId());
      for (int i = 0; i < under.parts.size(); i++)
        if (skips((Evaluator) under.parts.get(i), file)) count(pruned, (String) under.fields.get(i), file);
      for (Integer id : columns)
        if (!hasBounds(file, id)) count(withoutBounds, schema.findColumnName(id.intValue()), file);
      if (under.strict.eval(file.partition()) || strict.eval(file)) add(whole, file);
      if (!under.partitions.eval(file.partition())) return;
      add(byPartitions, file);
      if (!bounds.eval(file)) return;
      add(kept, file);
      count(keptBySpec, String.valueOf(file.specId()), file);
    }

    /** Iceberg 1.11 does not evaluate IN for a null; in the whole filter, IS NOT NULL skips that file before. */
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

    Map<String, Object> result() {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("manifests", Long.valueOf(manifests));
      result.put("by_partitions", byPartitions);
      result.put("kept", kept);
      result.put("whole", whole);
      result.put("pruned", pruned);
      result.put("without_bounds", withoutBounds);
      result.put("specs", keptBySpec);
      return result;
    }
  }
}

package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import scala.Option;

/**
 * The plan of an aggregation whose result is known in part, or as a whole, from the metadata of a snapshot's files.
 *
 * <p>A file counts if the condition is true for all its rows, none of them is deleted, all are in one group, and each
 * aggregate over them is known. The plan is the rows of the groups of which all files count, and with them the
 * aggregation of a scan of the others.
 *
 * <p>Invariant: each row of the snapshot that the condition accepts is in one of the two, and in one alone: no scanned
 * file has a row of an answered group, or the scan's filter leaves those rows out.
 */
public final class AggregateAnswer {
  /** Whole results: a dashboard asks for them again. */
  private static final KeptFacts ANSWERS = new KeptFacts("answers");
  private final AggregateShape shape;
  private final SnapshotFiles files;
  private final FileTruth condition;
  private final List<ConstantExpression> keys = new ArrayList<>();
  private final FileGroups groups;
  private final FileTotals totals;
  /** The columns by which the files that must be read may be selected, and those that the query needs. */
  private final Map<String, Attribute> columns = new LinkedHashMap<>();
  private final List<PartitionFieldTerm> terms = new ArrayList<>();

  /** The whole result: metadata has answered all of it. */
  private Answer answer;

  /** The rows of a whole result, and from how many files they are. */
  private static final class Answer {
    final List<InternalRow> rows;
    final int files;

    Answer(List<InternalRow> rows, int files) {
      this.rows = rows;
      this.files = files;
    }
  }

  public AggregateAnswer(AggregateShape shape, SnapshotFiles files) {
    this.shape = shape;
    this.files = files;
    condition = new FileTruth(files, shape.condition());
    for (Expression key : shape.grouping) keys.add(new ConstantExpression(key, files));
    for (FileAggregate a : shape.aggregates) a.bind(files);
    groups = new FileGroups(shape.grouping, shape.aggregates, true);
    totals = new FileTotals(shape.aggregates);
    collect();
  }

  private void collect() {
    for (Expression e : shape.expressions()) PartitionFieldTerm.collect(e, files, terms);
    Set<Integer> sources = sources(files.table);
    for (Attribute column : columns(shape, files.layout)) {
      columns.put(column.name(), column);
      Types.NestedField field = files.layout.field(column);
      boolean isSource = field != null && sources.contains(Integer.valueOf(field.fieldId()));
      if (isSource) PartitionFieldTerm.collect(column, files, terms);
    }
  }

  /** The columns of the relation that partition fields are of. */
  private static Set<Integer> sources(Table table) {
    Set<Integer> sources = new LinkedHashSet<>();
    for (PartitionSpec spec : table.specs().values())
      for (PartitionField field : spec.fields()) sources.add(Integer.valueOf(field.sourceId()));
    return sources;
  }

  /** The columns whose bounds an answer may depend on. */
  public static List<Attribute> columns(AggregateShape shape, PartitionLayout layout) {
    Set<ExprId> references = new LinkedHashSet<>();
    for (Expression e : shape.expressions())
      for (Attribute column : ScalaTypes.list(e.references().toSeq())) references.add(column.exprId());
    List<Attribute> columns = new ArrayList<>();
    Set<Integer> sources = sources(layout.table());
    for (Attribute column : ScalaTypes.list(shape.relation.output())) {
      Types.NestedField field = layout.field(column);
      boolean isSource = field != null && sources.contains(Integer.valueOf(field.fieldId()));
      if (isSource || references.contains(column.exprId())) columns.add(column);
    }
    return columns;
  }

  /** Null if metadata answers no part of it. */
  public LogicalPlan plan() {
    List<Expression> results = condition.isDecidable() ? shape.results() : null;
    if (results == null) return null;
    String version = files.layout.version();
    List<Object> key = version == null ? null : key(version, results);
    Answer reusable = key == null ? null : (Answer) ANSWERS.get(key);
    if (reusable != null) return planOf(reusable);
    LogicalPlan plan = plan(results);
    if (plan != null && answer != null && key != null) {
      long row = 100 + 40L * results.size();
      ANSWERS.put(key, answer, ConclusionCache.bytes(version, shape.expressions()) + row * answer.rows.size());
    }
    return plan;
  }

  /** All that an answer depends on. */
  private List<Object> key(String version, List<Expression> results) {
    List<Object> other = new ArrayList<>();
    other.add(Long.valueOf(files.snapshot.snapshotId()));
    other.add(Integer.valueOf(shape.conjuncts.size()));
    other.add(Integer.valueOf(shape.grouping.size()));
    for (FileAggregate a : shape.aggregates) other.add(a.kind);
    List<Expression> from = new ArrayList<>(shape.expressions());
    from.addAll(results);
    return ConclusionCache.key(version, from, shape.relation.output(), other);
  }

  private LogicalPlan plan(List<Expression> results) {
    boolean isCertain = isOfTuples();
    if (!isCertain && !isPromising()) return null;
    // The columns' bounds are for files that must be read.
    Collection<String> names = isCertain ? List.of() : columns.keySet();
    if (!files.areFew(condition.inclusive())) return streamed(names, results);
    for (FileScanTask task : files.plan(condition.inclusive(), names)) add(task);
    return shape.grouping.isEmpty() ? ungrouped(results) : grouped(results);
  }

  /** The whole answer, of so many files that none is kept; null as soon as one must be read. */
  private LogicalPlan streamed(Collection<String> names, List<Expression> results) {
    final FileGroups streamed = new FileGroups(shape.grouping, shape.aggregates, false);
    final int[] answered = new int[1];
    boolean isWhole = files.stream(condition.inclusive(), names, new ManifestPass.Receiver() {
      @Override
      public boolean receive(FileScanTask task) {
        DataFile file = (DataFile) task.file();
        Boolean truth = condition.of(file);
        if (Boolean.FALSE.equals(truth) || file.recordCount() == 0) return true;
        List<Object> key = key(file), values = truth == null ? null : values(file);
        if (values == null || key.contains(ConstantExpression.UNKNOWN)) return false;
        streamed.add(file, key, values);
        answered[0]++;
        return !streamed.areTooMany();
      }
    });
    if (!isWhole || !streamed.decide()) return null;
    answer = new Answer(streamed.rows(results), answered[0]);
    return planOf(answer);
  }

  /** Whether the partition tuples and the counts of rows answer all of it. */
  private boolean isOfTuples() {
    if (shape.condition() != null || !files.snapshot.deleteManifests(files.table.io()).isEmpty()) return false;
    for (FileAggregate a : shape.aggregates)
      if (a.kind != FileAggregate.Kind.ROWS) return false;
    for (ConstantExpression key : keys)
      for (PartitionSpec spec : files.table.specs().values())
        if (key.term() == null || key.term().index(spec) < 0) return false;
    return true;
  }

  /** Whether metadata answers some file of a sample; true if there are too few files for one. */
  private boolean isPromising() {
    List<FileScanTask> sample = FileSample.of(files, condition.inclusive(), columns.keySet());
    if (sample == null || sample.isEmpty()) return true;
    for (FileScanTask task : sample) {
      DataFile file = (DataFile) task.file();
      Boolean truth = condition.of(file);
      if (Boolean.FALSE.equals(truth)) return true;
      if (truth != null && values(file) != null && !key(file).contains(ConstantExpression.UNKNOWN)) return true;
    }
    return false;
  }

  private List<Object> key(DataFile file) {
    List<Object> key = new ArrayList<>();
    for (ConstantExpression e : keys) key.add(e.of(file));
    return key;
  }

  private void add(FileScanTask task) {
    DataFile file = (DataFile) task.file();
    Boolean truth = condition.of(file);
    if (Boolean.FALSE.equals(truth) || file.recordCount() == 0) return;
    boolean isCertain = truth != null && file.recordCount() > 0;
    // For the groups that exist, one row that is not deleted suffices.
    isCertain &= task.deletes().isEmpty() || shape.aggregates.isEmpty() && SnapshotFiles.rows(task) > 0;
    List<Object> values = isCertain ? values(file) : null;
    if (shape.grouping.isEmpty()) {
      totals.add(file, values);
      return;
    }
    List<Object> key = key(file), ranges = new ArrayList<>();
    if (!key.contains(ConstantExpression.UNKNOWN)) {
      groups.add(file, key, values);
      return;
    }
    for (ConstantExpression e : keys) {
      Object[] range = e.range(file);
      ranges.add(range == null ? null : Arrays.asList(range));
    }
    groups.addMixed(file, ranges);
  }

  /** Of the aggregates over a file; null if one is not certain. */
  private List<Object> values(DataFile file) {
    List<Object> values = new ArrayList<>();
    for (FileAggregate a : shape.aggregates) values.add(a.of(file));
    return values.contains(ConstantExpression.UNKNOWN) ? null : values;
  }

  private LogicalPlan planOf(Answer result) {
    boolean[] scanned = new boolean[result.files];
    if (!shape.grouping.isEmpty()) return noted(Aggregation.rows(shape.aggregate.output(), result.rows), scanned);
    return oneRow(((GenericInternalRow) result.rows.get(0)).values(), scanned);
  }

  private LogicalPlan grouped(List<Expression> results) {
    if (!groups.decide()) return null;
    boolean[] scanned = groups.scanned();
    if (isEmpty(scanned)) {
      answer = new Answer(groups.rows(results), scanned.length);
      return planOf(answer);
    }
    LogicalPlan rows = noted(Aggregation.rows(shape.aggregate.output(), groups.rows(results)), scanned);
    SeparatingPredicate separating = SeparatingPredicate.of(subjects(groups.files()), scanned, false);
    if (separating == null) return null;
    boolean isExact = !groups.isOverlapping() && Arrays.equals(separating.accepted, scanned);
    Expression predicate = isExact ? separating.predicate : new And(separating.predicate, groups.remaining());
    if (MisreadComparisons.areIn(predicate, files.layout)) return null;
    LogicalPlan aggregate =
      (LogicalPlan) shape.aggregate.withNewChildren(ScalaTypes.seq(List.of(shape.confined(files.pinned, predicate))));
    return union(rows, renamed(aggregate));
  }

  private LogicalPlan ungrouped(List<Expression> results) {
    boolean[] scanned = totals.scanned();
    if (isEmpty(scanned)) {
      Object[] row = AggregateShape.evaluated(results, totals.totals(scanned));
      answer = new Answer(List.of(new GenericInternalRow(row)), scanned.length);
      return planOf(answer);
    }
    for (FileAggregate a : shape.aggregates)
      if (a.kind == FileAggregate.Kind.DISTINCT) return null;
    SeparatingPredicate separating = SeparatingPredicate.of(subjects(totals.files()), scanned, true);
    if (separating == null || MisreadComparisons.areIn(separating.predicate, files.layout)) return null;
    List<NamedExpression> partial = new ArrayList<>();
    List<Attribute> names = new ArrayList<>();
    for (Expression function : shape.functions()) {
      Alias alias = alias(function, "part");
      partial.add(alias);
      names.add(alias.toAttribute().newInstance());
    }
    InternalRow row = new GenericInternalRow(totals.totals(separating.accepted));
    LogicalPlan rows = noted(Aggregation.rows(ScalaTypes.seq(names), List.of(row)), separating.accepted);
    LogicalPlan scan = shape.confined(files.pinned, separating.predicate);
    LogicalPlan parts = union(rows, Aggregation.of(new ArrayList<Expression>(), partial, scan));
    return Aggregation.of(new ArrayList<Expression>(), shape.merged(ScalaTypes.list(parts.output())), parts);
  }

  /** Notes from how many files rows are answered: those that are not scanned. */
  private LogicalPlan noted(LogicalPlan rows, boolean[] scanned) {
    int answered = 0;
    for (boolean isScanned : scanned)
      if (!isScanned) answered++;
    AnsweredRow row = new AnsweredRow();
    row.table = files.table.name();
    row.files = Long.valueOf(answered);
    row.totalFiles = Long.valueOf(SnapshotFiles.count(files.snapshot, "total-data-files"));
    long bytes = SnapshotFiles.count(files.snapshot, "total-files-size");
    row.totalBytes = bytes == Long.MAX_VALUE ? null : Long.valueOf(bytes);
    return ReadNotes.answered(rows, row);
  }

  /** One row of literals, by which Spark replaces a scalar subquery. */
  private LogicalPlan oneRow(Object[] values, boolean[] scanned) {
    List<NamedExpression> literals = new ArrayList<>();
    List<Attribute> output = ScalaTypes.list(shape.aggregate.output());
    for (int i = 0; i < values.length; i++) {
      Attribute column = (Attribute) output.get(i);
      literals.add(alias(new Literal(values[i], column.dataType()), column.name(), column.exprId()));
    }
    return new Project(ScalaTypes.seq(literals), noted(new OneRowRelation(), scanned));
  }

  /** An expression with a name and a new id. */
  public static Alias alias(Expression e, String name) { return alias(e, name, NamedExpression.newExprId()); }

  private static Alias alias(Expression e, String name, ExprId id) {
    return new Alias(
      e, name, id, ScalaTypes.seq(new ArrayList<String>()), Option.empty(), ScalaTypes.seq(new ArrayList<String>()));
  }

  /** Columns of their own for a plan whose columns those of another have the ids of. */
  private static LogicalPlan renamed(LogicalPlan plan) {
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : ScalaTypes.list(plan.output())) columns.add(alias(column, column.name()));
    return new Project(ScalaTypes.seq(columns), plan);
  }

  private static LogicalPlan union(LogicalPlan first, LogicalPlan second) {
    return new Union(ScalaTypes.seq(List.of(first, second)), false, false);
  }

  private static boolean isEmpty(boolean[] scanned) {
    for (boolean isScanned : scanned)
      if (isScanned) return false;
    return true;
  }

  private List<SeparatingPredicate.Subject> subjects(List<DataFile> list) {
    List<SeparatingPredicate.Subject> subjects = new ArrayList<>();
    for (PartitionFieldTerm term : terms) subjects.add(new SeparatingPredicate.OfTerm(term, files, list));
    for (Attribute column : columns.values()) {
      Types.NestedField field = files.field(column);
      if (field != null && SeparatingPredicate.OfColumn.isFor(field))
        subjects.add(new SeparatingPredicate.OfColumn(column, field, list));
    }
    return subjects;
  }
}

package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/**
 * Evaluates the conditions that Iceberg cannot, such as <code>substr(ds, 7, 2) = '05'</code>, on the partition tuples
 * of the files, with Spark's own evaluation, and adds the values for which they may be true: the scan reads no file of
 * the others.
 */
public class Values extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Filters()));
  }

  /** The filters directly above relations. */
  static class Filters implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      return node instanceof Filter && PartitionLayout.of(((Filter) node).child()) != null;
    }

    @Override
    public Object of(Object node) {
      Filter filter = (Filter) node;
      try {
        Filter narrowed = narrowed(filter);
        return narrowed == null ? filter : narrowed;
      } catch (RuntimeException e) {
        return filter; // an error here must not fail the query
      }
    }
  }

  /** Null if no values can be excluded. */
  private static Filter narrowed(Filter filter) {
    SnapshotFiles files = files(filter.condition(), filter.child());
    Expression implied = files == null ? null : implied(filter.condition(), files);
    return implied == null ? null : new Filter(new And(filter.condition(), implied), files.pinned);
  }

  /** What a condition on an Iceberg relation implies for its partition values; null if nothing. */
  public Expression implied(Expression condition, LogicalPlan relation) {
    SnapshotFiles files = files(condition, relation);
    return files == null ? null : implied(condition, files);
  }

  /** Null if a condition cannot gain by partition values. */
  private static SnapshotFiles files(Expression condition, LogicalPlan relation) {
    boolean isCandidate = condition.deterministic() && isPartitioned(PartitionLayout.of(relation));
    return isCandidate && !opaque(condition).isEmpty() ? SnapshotFiles.of(relation) : null;
  }

  /** The conjuncts that Iceberg cannot evaluate. */
  private static List<Expression> opaque(Expression condition) {
    List<Expression> conjuncts = new ArrayList<>(), opaque = new ArrayList<>();
    FileCondition.split(condition, conjuncts);
    for (Expression conjunct : conjuncts)
      if (conjunct.references().size() > 0 && FileCondition.converted(conjunct) == null) opaque.add(conjunct);
    return opaque;
  }

  private static Expression implied(Expression condition, SnapshotFiles files) {
    List<Expression> opaque = opaque(condition), others = new ArrayList<>();
    List<PartitionFieldTerm> terms = new ArrayList<>();
    for (Expression conjunct : opaque) PartitionFieldTerm.collect(conjunct, files, terms);
    PartitionTuples tuples = terms.isEmpty() ? null : PartitionTuples.of(files);
    if (tuples == null) return null;
    FileCondition.split(condition, others);
    others.removeAll(opaque);
    ExactPredicates predicates = new ExactPredicates(files, tuples, others);
    Expression result = null;
    for (Expression conjunct : opaque) {
      Expression implied = predicates.impliedBy(conjunct);
      if (implied != null) result = result == null ? implied : new And(result, implied);
    }
    return result;
  }

  private static boolean isPartitioned(PartitionLayout layout) {
    for (PartitionSpec spec : layout.table().specs().values())
      for (PartitionField field : spec.fields())
        if (!field.transform().isVoid()) return true;
    return false;
  }

  /** Tests a predicate on text on a table whose two files differ in their partition values. */
  @Override
  protected String check(SparkSession session) {
    Types.NestedField ds = Types.NestedField.optional(1, "ds", Types.StringType.get());
    Schema schema = new Schema(new Types.NestedField[] {ds});
    PartitionSpec spec = PartitionSpec.builderFor(schema).identity("ds").build();
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("check", new HashMap<String, String>());
    catalog.createNamespace(Namespace.of(new String[] {"check"}));
    Table table = catalog.createTable(TableIdentifier.of(new String[] {"check", "ds"}), schema, spec);
    AppendFiles append = table.newAppend();
    for (String day : List.of("20240105", "20240206"))
      append.appendFile(DataFiles.builder(spec)
          .withPath(FileBounds.TRIAL + day)
          .withFormat(FileFormat.AVRO)
          .withFileSizeInBytes(1)
          .withRecordCount(1)
          .withPartitionValues(List.of(day))
          .build());
    append.commit();
    try {
      LogicalPlan plan =
        new Filter(session.sessionState().sqlParser().parseExpression("substr(ds, 7, 2) = '05'"), Relations.of(table));
      plan = (LogicalPlan) session.sessionState().analyzer().execute(plan);
      plan = (LogicalPlan) session.sessionState().optimizer().execute(plan);
      while (!(plan instanceof DataSourceV2ScanRelation)) plan = (LogicalPlan) plan.children().apply(0);
      String pushed = ((DataSourceV2ScanRelation) plan).scan().description();
      boolean isExact = pushed.contains("20240105") && !pushed.contains("20240206");
      return isExact ? null : "a predicate on partition values does not imply those for which it is true: " + pushed;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}

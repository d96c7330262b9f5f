package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.BaseMetadataTable;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.spark.functions.SparkFunctions;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractPartialFunction;

/**
 * Keeps Iceberg's functions out of the scan where the scan would return wrong rows.
 *
 * <p>Iceberg 1.12 says that it covers a predicate such as <code>bucket(4, x) = 2</code> entirely, and Spark drops its
 * own filter, in three cases where that is not so:
 *
 * <ul>
 *   <li>any partition spec of the table has x itself as a field: the value is compared with x;
 *   <li>the predicate is a negation, <code>bucket(4, x) &lt;&gt; 2</code>: rows where x is null are returned too;
 *   <li>x is a string to Spark and a uuid to Iceberg: partitions hash its bytes, the function its text.
 * </ul>
 *
 * <p>In the first and third the call becomes one that is not pushed, with the same generated code. In the second the
 * predicate stays and <code>bucket(4, x) IS NOT NULL</code> is put beside it, so that it prunes as before. Must run
 * after Iceberg's ReplaceStaticInvoke, which makes calls in comparisons pushable again, and before the push-down.
 */
public class Guard extends SwitchedRule {

  protected LogicalPlan rewrite(LogicalPlan plan) {
    if (!Calls.in(plan)) return plan;
    Sources sources = new Sources();
    sources.read(plan);
    return (LogicalPlan) plan.transform(new Nodes(sources));
  }

  /** Every node of the plan, with its expressions rewritten. */
  static class Nodes extends AbstractPartialFunction {
    final Sources sources;
    Nodes(Sources sources) { this.sources = sources; }
    public boolean isDefinedAt(Object node) { return true; }
    public Object applyOrElse(Object node, scala.Function1 otherwise) {
      boolean condition =
        node instanceof Filter || node instanceof RowLevelWrite || node instanceof OverwriteByExpression;
      return ((LogicalPlan) node).mapExpressions(new Rewrite(sources, condition));
    }
  }

  static class Rewrite extends AbstractFunction1 {
    final Sources sources;
    final boolean condition;
    Rewrite(Sources sources, boolean condition) { this.sources = sources; this.condition = condition; }
    public Object apply(Object o) {
      Expression e = (Expression) o;
      if (!Calls.in(e)) return e;
      return condition ? condition(e, Collections.EMPTY_LIST) : e.transform(new Unpush(sources, false));
    }

    /** A condition, or part of one, of which rows are kept where it is true: null is as good as false here. */
    Expression condition(Expression e, List known) {
      if (e instanceof And) {
        List all = new ArrayList(known);
        notNulls(e, all);
        And a = (And) e;
        Expression left = condition(a.left(), all), right = condition(a.right(), all);
        return left == a.left() && right == a.right() ? e : new And(left, right);
      }
      if (e instanceof Or) {
        Or a = (Or) e;
        Expression left = condition(a.left(), known), right = condition(a.right(), known);
        return left == a.left() && right == a.right() ? e : new Or(left, right);
      }
      Expression call = e instanceof Not ? negated(((Not) e).child()) : null;
      if (call == null || sources.wrong(call)) return (Expression) e.transform(new Unpush(sources, false));
      for (int i = 0; i < known.size(); i++) if (Calls.plain(call).semanticEquals((Expression) known.get(i))) return e;
      return new And(new IsNotNull(call), e);
    }

    /** The call in <code>call = literal</code> and <code>call IN (literals)</code>, or null. */
    static Expression negated(Expression e) {
      if (e instanceof EqualTo) {
        EqualTo c = (EqualTo) e;
        if (literal(c.right()) && Calls.pushable(c.left())) return c.left();
        return literal(c.left()) && Calls.pushable(c.right()) ? c.right() : null;
      }
      if (!(e instanceof In) || !Calls.pushable(((In) e).value())) return null;
      Seq list = ((In) e).list();
      for (int i = 0; i < list.size(); i++) if (!literal(list.apply(i))) return null;
      return ((In) e).value();
    }

    static boolean literal(Object e) { return e instanceof Literal && ((Literal) e).value() != null; }

    /** Adds the calls, in their plain form, that the conjuncts say are not null. */
    static void notNulls(Expression e, List out) {
      if (e instanceof And) {
        notNulls(((And) e).left(), out);
        notNulls(((And) e).right(), out);
      } else if (e instanceof IsNotNull && Calls.function(((IsNotNull) e).child()) != null) {
        out.add(Calls.plain(((IsNotNull) e).child()));
      }
    }
  }

  /** Makes plain the calls over wrong sources, and all that stand under a negation. */
  static class Unpush extends AbstractPartialFunction {
    final Sources sources;
    final boolean all;
    Unpush(Sources sources, boolean all) { this.sources = sources; this.all = all; }
    boolean call(Object e) { return Calls.pushable(e) && (all || sources.wrong((Expression) e)); }
    public boolean isDefinedAt(Object e) { return call(e) || e instanceof Not && !all; }
    public Object applyOrElse(Object e, scala.Function1 otherwise) {
      if (call(e)) return Calls.plain(e);
      if (e instanceof Not && !all) return ((Expression) e).transform(new Unpush(sources, true));
      return otherwise.apply(e);
    }
  }

  /** The tables of a plan, and which of their columns Iceberg's functions may not be pushed over. */
  static class Sources {
    /** Attribute id to Column. */
    private final Map columns = new HashMap();

    static class Column {
      final Set identities;
      final List schemas;
      final String path;
      Column(Set identities, List schemas, String path) {
        this.identities = identities;
        this.schemas = schemas;
        this.path = path;
      }
    }

    void read(LogicalPlan plan) {
      Seq children = plan.children();
      for (int i = 0; i < children.size(); i++) read((LogicalPlan) children.apply(i));
      relation(plan);
      if (plan instanceof RowLevelWrite) relation(((RowLevelWrite) plan).originalTable());
      if (plan instanceof V2WriteCommand) relation(((V2WriteCommand) plan).table());
      Seq expressions = plan.expressions();
      for (int i = 0; i < expressions.size(); i++) {
        Object e = expressions.apply(i);
        if (!(e instanceof Alias)) continue;
        Column column = column(((Alias) e).child());
        if (column != null) columns.put(Long.valueOf(((Alias) e).exprId().id()), column);
      }
    }

    private void relation(Object node) {
      if (!(node instanceof DataSourceV2Relation)) return;
      DataSourceV2Relation relation = (DataSourceV2Relation) node;
      Object table = relation.table();
      if (table instanceof RowLevelOperationTable) table = ((RowLevelOperationTable) table).table();
      List schemas = new ArrayList();
      Set identities = new HashSet();
      if (table instanceof SparkTable && !(((SparkTable) table).table() instanceof BaseMetadataTable))
        read(((SparkTable) table).table(), schemas, identities);
      Seq output = relation.output();
      for (int i = 0; i < output.size(); i++) {
        Attribute a = (Attribute) output.apply(i);
        columns.put(Long.valueOf(a.exprId().id()), new Column(identities, schemas, a.name()));
      }
    }

    /**
     * All schemas, since a query of an old snapshot knows a column by the name that it had; and the names, in any of
     * them, of the columns that are partition fields themselves. A table of another kind has no schemas here.
     */
    private static void read(Table table, List schemas, Set identities) {
      schemas.add(table.schema());
      schemas.addAll(table.schemas().values());
      for (Iterator s = table.specs().values().iterator(); s.hasNext();) {
        for (Iterator f = ((PartitionSpec) s.next()).fields().iterator(); f.hasNext();) {
          PartitionField field = (PartitionField) f.next();
          if (!field.transform().isIdentity()) continue;
          for (int i = 0; i < schemas.size(); i++)
            identities.add(((Schema) schemas.get(i)).findColumnName(field.sourceId()));
        }
      }
    }

    /** The column that an expression names, s.a too, or null. */
    private Column column(Object e) {
      if (e instanceof Attribute) return (Column) columns.get(Long.valueOf(((Attribute) e).exprId().id()));
      if (!(e instanceof GetStructField)) return null;
      Column parent = column(((GetStructField) e).child());
      if (parent == null) return null;
      return new Column(parent.identities, parent.schemas, parent.path + "." + ((GetStructField) e).extractFieldName());
    }

    /**
     * Whether pushing a call gives wrong rows, or might. Iceberg takes nothing but a column as the source, and the
     * last run of this rule sees it as the relation has it: what is no column here is not pushed.
     */
    boolean wrong(Expression call) {
      Seq arguments = call.children();
      Column column = column(arguments.apply(arguments.size() - 1));
      if (column == null) return false;
      if (column.identities.contains(column.path)) return true;
      boolean found = false;
      for (int i = 0; i < column.schemas.size(); i++) {
        Types.NestedField field = ((Schema) column.schemas.get(i)).findField(column.path);
        if (field == null) continue;
        found = true;
        Type.TypeID type = field.type().typeId();
        if (type == Type.TypeID.UUID || type == Type.TypeID.FIXED) return true;
      }
      return !found;
    }
  }

  /** Puts bucket(4, x) = 2, and its negation, to empty tables partitioned by x and by bucket(4, x). */
  protected String check(SparkSession session) {
    Schema schema = new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "x", Types.IntegerType.get())});
    PartitionSpec identity = PartitionSpec.builderFor(schema).identity("x").build();
    PartitionSpec bucket = PartitionSpec.builderFor(schema).bucket("x", 4).build();
    LogicalPlan plan = optimized(session, schema, identity, false);
    if (!(plan instanceof Filter)) return "it lets a filter into a table partitioned by the column itself: " + plan;
    plan = optimized(session, schema, bucket, false);
    if (plan instanceof Filter) return "it keeps a filter from a table partitioned by the function: " + plan;
    plan = optimized(session, schema, bucket, true);
    if (plan instanceof Filter || !scan(plan).contains("bucket[4](x) IS NOT NULL"))
      return "a negated filter is not pushed together with IS NOT NULL: " + plan + scan(plan);
    return null;
  }

  private static LogicalPlan optimized(SparkSession session, Schema schema, PartitionSpec spec, boolean negated) {
    TableMetadata metadata = TableMetadata.newTableMetadata(schema, spec, "memory:/check", new HashMap());
    Table table = new BaseTable(
      new StaticTableOperations(metadata, new HadoopFileIO(session.sessionState().newHadoopConf())), "check");
    LogicalPlan relation = DataSourceV2Relation.create(new SparkTable(table), Option.empty(), Option.empty());
    List arguments = new ArrayList();
    arguments.add(new Literal(Integer.valueOf(4), DataTypes.IntegerType));
    arguments.add(relation.output().apply(0));
    StructType types = new StructType().add("n", DataTypes.IntegerType).add("x", DataTypes.IntegerType);
    ScalarFunction bound = (ScalarFunction) SparkFunctions.load("bucket").bind(types);
    Expression call = V2ExpressionUtils.resolveScalarFunction(bound, Calls.seq(arguments));
    Expression condition = new EqualTo(call, new Literal(Integer.valueOf(2), DataTypes.IntegerType));
    LogicalPlan plan = new Filter(negated ? (Expression) new Not(condition) : condition, relation);
    return (LogicalPlan) session.sessionState().optimizer().execute(plan);
  }

  private static String scan(LogicalPlan plan) {
    if (plan instanceof DataSourceV2ScanRelation) return ((DataSourceV2ScanRelation) plan).scan().description();
    return plan.children().size() == 1 ? scan((LogicalPlan) plan.children().apply(0)) : "";
  }
}

package sparkicebergsql;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec;
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage;
import org.apache.spark.sql.execution.joins.HashedRelation;
import scala.Option;
import scala.collection.Iterator;

/** The rows of a join's build side that a stage of the query has broadcast. */
public final class BuildSide {
  /** The maximum number of rows that are looked at: reading them takes about 0.2 s. */
  private static final int LIMIT = 1000000;
  private static final TreeNodeTag<Map<String, List<Expression>>> CONCLUSIONS =
    new TreeNodeTag<Map<String, List<Expression>>>("spark_iceberg_sql.conclusions");

  private final BroadcastQueryStageExec stage;
  private final Object relation;
  private final List<Attribute> output;

  /** Receives the values of some expressions for a row, which are null in no position. */
  public interface Receiver {
    void add(Object[] values);
  }

  private BuildSide(BroadcastQueryStageExec stage, Object relation) {
    this.stage = stage;
    this.relation = relation;
    this.output = ScalaTypes.list(stage.output());
  }

  /** Null if a side of a join is not a broadcast that has ended. */
  public static BuildSide of(LogicalPlan side) {
    if (!(side instanceof LogicalQueryStage)) return null;
    Object physical = ((LogicalQueryStage) side).physicalPlan();
    if (!(physical instanceof BroadcastQueryStageExec)) return null;
    BroadcastQueryStageExec stage = (BroadcastQueryStageExec) physical;
    Option<Object> result = (Option<Object>) stage.resultOption().get();
    if (result.isEmpty() || !(result.get() instanceof Broadcast)) return null;
    Object relation = ((Broadcast<?>) result.get()).value();
    boolean isKnown = relation instanceof HashedRelation || relation instanceof InternalRow[];
    return isKnown ? new BuildSide(stage, relation) : null;
  }

  /** What has been concluded from the rows, by a text; it is kept with the stage. */
  public Map<String, List<Expression>> conclusions() {
    Option<Map<String, List<Expression>>> kept = stage.getTagValue(CONCLUSIONS);
    if (kept.isDefined()) return (Map<String, List<Expression>>) kept.get();
    Map<String, List<Expression>> conclusions = new ConcurrentHashMap<>();
    stage.setTagValue(CONCLUSIONS, conclusions);
    return conclusions;
  }

  /** Evaluates expressions for all rows; false if there are too many. Rows with a null among the values are left out. */
  public boolean read(List<Expression> expressions, Receiver receiver) {
    Expression[] bound = bound(expressions, output);
    if (relation instanceof InternalRow[]) {
      InternalRow[] rows = (InternalRow[]) relation;
      if (rows.length > LIMIT) return false;
      for (int i = 0; i < rows.length; i++) evaluate(bound, rows[i], receiver);
      return true;
    }
    return readHashed(bound, receiver);
  }

  private boolean readHashed(Expression[] bound, Receiver receiver) {
    HashedRelation hashed = ((HashedRelation) relation).asReadOnlyCopy(); // the original is not for several threads
    Set<InternalRow> visited = new HashSet<>(); // a key with several rows may come several times
    Iterator<InternalRow> keys = hashed.keys();
    int count = 0;
    while (keys.hasNext()) {
      InternalRow key = (InternalRow) keys.next();
      if (!hashed.keyIsUnique() && !visited.add(key.copy())) continue;
      Iterator<InternalRow> rows = hashed.get(key);
      while (rows != null && rows.hasNext()) {
        if (++count > LIMIT) return false;
        evaluate(bound, (InternalRow) rows.next(), receiver);
      }
    }
    return true;
  }

  /** Gives the receiver the values of bound expressions for a row, unless one of them is null. */
  public static void evaluate(Expression[] bound, InternalRow row, Receiver receiver) {
    Object[] values = new Object[bound.length];
    for (int i = 0; i < bound.length; i++) {
      Object value = bound[i].eval(row);
      if (value == null) return;
      values[i] = InternalRow.copyValue(value); // a string is a view of the row's memory
    }
    receiver.add(values);
  }

  /** Expressions that can be evaluated for a row of these columns. */
  public static Expression[] bound(List<Expression> expressions, List<Attribute> columns) {
    Expression[] bound = new Expression[expressions.size()];
    for (int i = 0; i < bound.length; i++) bound[i] = bound((Expression) expressions.get(i), columns);
    return bound;
  }

  private static Expression bound(Expression e, final List<Attribute> columns) {
    return (Expression) e.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object x) {
        return x instanceof AttributeReference;
      }

      @Override
      public Object of(Object x) {
        AttributeReference column = (AttributeReference) x;
        for (int i = 0; i < columns.size(); i++)
          if (((Attribute) columns.get(i)).exprId().equals(column.exprId()))
            return new BoundReference(i, column.dataType(), true);
        throw new IllegalStateException(column + " is not in the rows");
      }
    }));
  }
}

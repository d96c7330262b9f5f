package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.spark.functions.SparkFunctions;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.DateFromUnixDate;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.IntegralDivide;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.KnownNotNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.MicrosToTimestamp;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PreciseTimestampConversion;
import org.apache.spark.sql.catalyst.expressions.Remainder;
import org.apache.spark.sql.catalyst.expressions.ShiftRight;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.expressions.UnixDate;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.execution.ExternalRDD;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/**
 * Replaces the calls of Iceberg's time functions that remain after push-down by a few of Spark's integer operations,
 * and interpreted calls of its other functions by generated code. It must run after push-down: Spark does not push
 * composed expressions down.
 */
public class Fast extends SwitchedRule {
  /** Days in 400 years, 100 years less one leap day, and 4 years, of the Gregorian calendar. */
  private static final long DAYS_400_YEARS = 146097, DAYS_4_YEARS = 1461;
  /** 6,000,000 years: added before dividing, so that every date and timestamp divides as a positive number. */
  private static final long CYCLES = 15000;
  /** A day is 10546875 times 2^13 microseconds, an hour 3515625 times 2^10. */
  private static final long DAY_ODD = 10546875, HOUR_ODD = 3515625;
  private static final long SECOND = 1000000;
  private static final int DAY_BITS = 13, HOUR_BITS = 10;
  private static final long OFFSET_DAYS = CYCLES * DAYS_400_YEARS, OFFSET_HOURS = 3000000000L;
  /** The leaves that are scans or existing rows. */
  private static final List<Class<?>> READ = List.of(DataSourceV2ScanRelation.class, LocalRelation.class, Range.class,
    OneRowRelation.class, LogicalRDD.class, LogicalRelation.class, InMemoryRelation.class, CTERelationRef.class,
    HiveTableRelation.class, ExternalRDD.class, LogicalQueryStage.class, Command.class);
  /** Expressions that cost nothing to repeat, and casts that keep the value of their argument. */
  private static final List<Class<?>> READY = List.of(Attribute.class, BoundReference.class, Literal.class);
  private static final List<Class<?>> SAME_VALUE = List.of(GetStructField.class, KnownNotNull.class,
    MicrosToTimestamp.class, DateFromUnixDate.class, PreciseTimestampConversion.class);

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return Calls.in(plan) && isQuery(plan) ? (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Nodes())) : plan;
  }

  /** Whether all leaves of a plan are scans or existing rows: other leaves may translate the expressions themselves. */
  static boolean isQuery(LogicalPlan plan) {
    if (plan.isStreaming()) return false;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (!isQuery(child)) return false;
    return plan.children().size() > 0 || isOneOf(READ, plan);
  }

  /** Operators that compute rows; the expressions of a write are conditions that its data source translates. */
  static class Nodes implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      return !(node instanceof Command);
    }

    @Override
    public Object of(Object node) {
      return ((LogicalPlan) node).transformExpressions(ScalaTypes.rewrite(new Replace()));
    }
  }

  /** Calls, withheld or not. */
  static class Replace implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object e) {
      return Calls.call(e) != null;
    }

    @Override
    public Object of(Object e) {
      Expression call = Calls.call(e);
      StaticInvoke invoke = call instanceof StaticInvoke ? (StaticInvoke) call : Calls.plain(call);
      Expression fast = fast(invoke);
      if (fast != null && !PartitionLayout.isColumn(fast)) Calls.setOriginal(fast, invoke);
      return fast == null ? invoke : fast;
    }
  }

  /** An equivalent of a call, or null if there is no faster one. */
  static Expression fast(StaticInvoke call) {
    Transform transform = Transform.of(call);
    if (transform == null || transform.unit == null || call.arguments().size() != 1) return null;
    Expression source = (Expression) call.arguments().apply(0);
    boolean date = source.dataType().equals(DataTypes.DateType);
    if (!date && !timestamp(source.dataType())) return null;
    Expression nonNull = source.nullable() ? new KnownNotNull(source) : source;
    switch (transform.unit) {
      case "YEARS":
        return repeatable(source) ? orNull(source, integer(years(nonNull))) : null;
      case "MONTHS":
        return repeatable(source) ? orNull(source, integer(months(nonNull))) : null;
      case "DAYS":
        if (!date && !repeatable(source)) return null;
        return date ? source : new DateFromUnixDate(integer(minus(days(source), OFFSET_DAYS)));
      case "HOURS":
        return date || !repeatable(source) ? null : integer(minus(hours(source), OFFSET_HOURS));
      default:
        return null;
    }
  }

  /** A value, or null if its source is null. */
  private static Expression orNull(Expression source, Expression value) {
    return source.nullable() ? new If(new IsNull(source), new Literal(null, DataTypes.IntegerType), value) : value;
  }

  private static boolean isOneOf(List<Class<?>> classes, Object o) {
    for (Class<?> c : classes)
      if (c.isInstance(o)) return true;
    return false;
  }

  static boolean timestamp(DataType t) {
    return t.equals(DataTypes.TimestampType) || t.equals(DataTypes.TimestampNTZType);
  }

  /**
   * The expressions repeat their source, so it must be a plain column, or one cast without
   * changing its value. Other sources, such as to_timestamp(text), keep Iceberg's own function.
   */
  static boolean repeatable(Expression e) {
    return isOneOf(READY, e) || isOneOf(SAME_VALUE, e) && repeatable((Expression) e.children().apply(0));
  }

  /** Microseconds since 1970, UTC. */
  static Expression micros(Expression timestamp) {
    return new PreciseTimestampConversion(timestamp, timestamp.dataType(), DataTypes.LongType);
  }

  /**
   * Microseconds since 1970 as Iceberg counts units in them: times before 1970 that end in .999999 a second earlier. Of those that
   * this would take below the least long, none is in the first second of a unit.
   */
  static Expression counted(Expression timestamp) {
    Expression micros = micros(timestamp);
    Expression isLast = new EqualTo(new Remainder(plus(micros, 1), number(SECOND), Arithmetic.wrapping()), number(0));
    Expression isEarlier = new And(
      new LessThan(micros, number(0)), new And(isLast, new GreaterThan(micros, number(Long.MIN_VALUE + SECOND))));
    return new If(isEarlier, minus(micros, SECOND), micros);
  }

  /** Days since 1970 plus OFFSET_DAYS. */
  static Expression days(Expression source) {
    if (!timestamp(source.dataType())) return plus(cast(new UnixDate(source), DataTypes.LongType), OFFSET_DAYS);
    return divide(plus(shift(counted(source), DAY_BITS), OFFSET_DAYS * DAY_ODD), DAY_ODD);
  }

  /** Hours since 1970 plus OFFSET_HOURS. */
  static Expression hours(Expression timestamp) {
    return divide(plus(shift(counted(timestamp), HOUR_BITS), OFFSET_HOURS * HOUR_ODD), HOUR_ODD);
  }

  // The calendar: the quarters and centuries after Neri and Schneider, Euclidean affine functions and their application
  // to calendar algorithms (2022); the month (5 * day + 2) / 153 of a year from March after Hinnant, chrono-Compatible
  // Low-Level Date Algorithms. Divisions by constants become multiplications, where java.time makes objects. Invariant:
  // all dividends are positive, since OFFSET_DAYS is added first.

  /**
   * From days since the first day after a leap century to four times the days in a calendar in which every fourth year
   * is a leap year, plus 3: dividing by DAYS_4_YEARS gives the years since that day.
   */
  static Expression quarters(Expression days) {
    Expression centuries = divide(plus(times(days, 4), 3), DAYS_400_YEARS);
    Expression missing = shift(plus(times(centuries, 3), 3), 2); // 3 leap days in 4 centuries
    return plus(times(new Add(days, missing, Arithmetic.wrapping()), 4), 3);
  }

  /** Years since 1970: counted from 1 January of the year 1. */
  static Expression years(Expression source) {
    Expression quarters = quarters(plus(days(source), 719162));
    return minus(divide(quarters, DAYS_4_YEARS), 1969 + 400 * CYCLES);
  }

  /** Months since 1970: counted from 1 March of the year 0, so that the leap day is a year's last. */
  static Expression months(Expression source) {
    Expression quarters = quarters(plus(days(source), 719468));
    Expression day = shift(remainder(quarters, DAYS_4_YEARS), 2);
    Expression month = divide(plus(times(day, 5), 2), 153);
    Expression months = times(divide(quarters, DAYS_4_YEARS), 12);
    return minus(new Add(months, month, Arithmetic.wrapping()), 12 * (1970 + 400 * CYCLES) - 2);
  }

  private static Expression number(long n) { return new Literal(Long.valueOf(n), DataTypes.LongType); }

  private static Expression plus(Expression e, long n) { return new Add(e, number(n), Arithmetic.wrapping()); }

  private static Expression minus(Expression e, long n) { return new Subtract(e, number(n), Arithmetic.wrapping()); }

  private static Expression times(Expression e, long n) { return new Multiply(e, number(n), Arithmetic.wrapping()); }

  private static Expression shift(Expression e, int bits) {
    return new ShiftRight(e, new Literal(Integer.valueOf(bits), DataTypes.IntegerType));
  }

  /** Division by a constant; Spark marks every division as nullable. */
  private static Expression divide(Expression e, long n) {
    Expression quotient = new IntegralDivide(e, number(n), Arithmetic.wrapping());
    return e.nullable() ? quotient : new KnownNotNull(quotient);
  }

  private static Expression remainder(Expression e, long n) {
    Expression result = new Remainder(e, number(n), Arithmetic.wrapping());
    return e.nullable() ? result : new KnownNotNull(result);
  }

  private static Expression cast(Expression e, DataType type) {
    return new Cast(e, type, Option.empty(), EvalMode.LEGACY());
  }

  /** The low 32 bits, as in Iceberg. */
  private static Expression integer(Expression e) { return cast(e, DataTypes.IntegerType); }

  /**
   * Runs the optimizer on all functions, and compares both forms around the epoch, leap days and century boundaries.
   */
  @Override
  protected String check(SparkSession session) {
    long[] hours = {-1, 0, 1, -24 * 25568L, 24 * 11016L - 1, 24 * 11016L, 24 * 11017L - 1, 24 * 47541L, 24 * 2932896L};
    Range ids = new Range(0, 9, 1, Option.apply(Integer.valueOf(1)),
      ScalaTypes.columns(new StructType().add("id", DataTypes.LongType, false)), false);
    Project times = project(new MicrosToTimestamp((Expression) ids.output().apply(0)), ids);
    for (Transform transform : Transform.all()) {
      if (transform.unit == null) continue;
      String name = transform.function;
      StaticInvoke invoke = call(name, (Expression) times.output().apply(0));
      LogicalPlan plan = (LogicalPlan) session.sessionState().optimizer().execute(project(invoke, times));
      if (Calls.in(plan)) return "it leaves a call of " + name + ": " + plan;
      Expression source = new BoundReference(0, DataTypes.TimestampType, true);
      StaticInvoke bound = call(name, source);
      Expression fast = fast(bound);
      for (long hour : hours) {
        Long micros = Long.valueOf(hour * 3600000000L - 1);
        InternalRow row = InternalRow.fromSeq(ScalaTypes.seq(List.of(micros)));
        if (!bound.eval(row).equals(fast.eval(row))) return name + " is " + fast.eval(row) + ", not " + bound.eval(row);
      }
    }
    return null;
  }

  private static StaticInvoke call(String name, Expression source) {
    ScalarFunction<?> bound =
      (ScalarFunction<?>) SparkFunctions.load(name).bind(new StructType().add("ts", source.dataType(), true));
    return (StaticInvoke) V2ExpressionUtils.resolveScalarFunction(bound, ScalaTypes.seq(List.of(source)));
  }

  private static Project project(Expression e, LogicalPlan child) {
    Alias alias = new Alias(e, "c", NamedExpression.newExprId(), ScalaTypes.seq(new ArrayList<>()), Option.empty(),
      ScalaTypes.seq(new ArrayList<>()));
    return new Project(ScalaTypes.seq(List.of(alias)), child);
  }
}

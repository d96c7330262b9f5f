package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.apache.iceberg.spark.functions.SparkFunctions;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.CheckOverflow;
import org.apache.spark.sql.catalyst.expressions.Decode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.UnixDate;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.catalyst.plans.logical.FunctionSignature;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import scala.Function1;
import scala.collection.immutable.Seq;

/**
 * A function iceberg_*, or ClickHouse's of the same transform, by one of its names: from the resolved arguments of a call to Iceberg's own function, bound to
 * the argument's type, or to a refusal: Iceberg does not check the first argument. The KnownNullable around the call
 * withholds it from the scan until Guard has verified that the scan answers it correctly.
 */
public class TransformFunction extends ScalaTypes.Mapping<Seq<Expression>, Expression> {
  private static final List<String> INTEGERS = Arrays.asList("tinyint", "smallint", "int", "bigint");
  // int, decimal(9,2); not string collate UNICODE_CI
  private static final Pattern TYPE = Pattern.compile("(\\w+)(\\(\\d+(,\\s*\\d+)?\\))?");
  private static final Map<String, ScalarFunction<?>> BOUND = new ConcurrentHashMap<>();
  private static final String[] ORDINALS = {"first", "second"};

  /** Adds the optimizer rules to a session that has never had them; holds null where there are none. */
  private final AtomicReference<Function1<SparkSession, Object>> rules;

  private final String name, function, parameter, noun;
  private final long minimum, maximum;
  private final boolean alwaysNull, isHash, countsDays, narrowAsInt, checksPrecision;
  private final DataType result;
  private final List<String> accepted, hashed, listed;
  private final FunctionSignature signature;
  private final String parameters;

  public TransformFunction(FunctionRow row, AtomicReference<Function1<SparkSession, Object>> rules) {
    this.rules = rules;
    name = row.name;
    function = row.function;
    alwaysNull = row.alwaysNull;
    isHash = row.isHash;
    countsDays = row.countsDays;
    hashed = row.hashed;
    narrowAsInt = row.narrowAsInt;
    checksPrecision = row.checksPrecision;
    result = row.result == null ? null : DataType.fromDDL(row.result);
    accepted = row.accepted;
    listed = row.listed;
    parameter = row.parameter;
    noun = row.noun;
    minimum = row.minimum;
    maximum = row.maximum;
    List<String> names = parameter != null ? Arrays.asList(parameter, "col") : Arrays.asList("col");
    signature = CallArguments.signature(names);
    parameters = names.size() + " (`" + String.join("`, `", names) + "`)";
  }

  @Override
  @SuppressWarnings("unchecked")
  protected Object of(Object children) {
    Seq<Expression> arguments = (Seq<Expression>) children;
    int columnIndex = parameter == null ? 0 : 1;
    if (arguments.size() != columnIndex + 1) throw refusedCount(arguments.size());
    arguments = CallArguments.inOrder(signature, arguments, name);
    Expression source = (Expression) arguments.apply(columnIndex);
    String type = source.dataType().catalogString();
    Expression number = parameter == null ? null : number((Expression) arguments.apply(0), source, type);
    if (!takes(source, type)) throw refusedType(source, columnIndex);
    // Spark's one public expression that stands for another and has any arguments; the tag is its name.
    Decode call = new Decode(arguments, evaluated(number, source, type));
    call.setTagValue(FunctionRegistry.FUNC_ALIAS(), name);
    return call;
  }

  private boolean takes(Expression source, String type) {
    if (alwaysNull || source.dataType() instanceof NullType) return true;
    if (!TYPE.matcher(type).matches()) return false;
    int end = type.indexOf('(');
    return accepted.contains(end < 0 ? type : type.substring(0, end));
  }

  private Expression evaluated(Expression number, Expression source, String type) {
    boolean untyped = source.dataType() instanceof NullType;
    if (alwaysNull) return new Literal(null, source.dataType());
    if (function == null || untyped && result == null) return source;
    if (untyped) return new Literal(null, result);
    if (isHash) return ValueHash.of(source);
    if (hashed.contains(type)) return ValueHash.bucket(number, source);
    Expression value = source;
    if (narrowAsInt && (type.equals("tinyint") || type.equals("smallint"))) {
      // Iceberg stores them as int: its own narrow functions wrap where the table does not.
      value = org.apache.spark.sql.catalyst.expressions.Cast$.MODULE$.apply(source, DataTypes.IntegerType, false);
    }
    Function1<SparkSession, Object> ensure = (Function1<SparkSession, Object>) rules.get();
    if (ensure != null) ensure.apply(SparkSession.active());
    List<Expression> arguments = number == null ? List.of(value) : List.of(number, value);
    Expression call = V2ExpressionUtils.resolveScalarFunction(bound(value.dataType()), ScalaTypes.seq(arguments));
    call = new KnownNullable(call);
    if (countsDays) return new UnixDate(call);
    if (checksPrecision && value.dataType() instanceof DecimalType) {
      // Spark would return NULL, but the table refuses the row.
      return new CheckOverflow(call, (DecimalType) value.dataType(), false);
    }
    return call;
  }

  /** The same object each time: calls are compared with it. */
  private ScalarFunction<?> bound(DataType type) {
    String key = function + " " + type.catalogString();
    ScalarFunction<?> cached = (ScalarFunction<?>) BOUND.get(key);
    if (cached != null) return cached;
    StructType types = new StructType();
    if (parameter != null) types = types.add("n", DataTypes.IntegerType);
    BOUND.putIfAbsent(key, (ScalarFunction<?>) SparkFunctions.load(function).bind(types.add("v", type)));
    return (ScalarFunction<?>) BOUND.get(key);
  }

  /** The constant first argument as an int literal. */
  private Expression number(Expression argument, Expression source, String type) {
    String argumentType = argument.dataType().catalogString();
    if (argument.dataType() instanceof NullType) throw refusedValue("it is NULL", "");
    if (!argument.foldable() || !INTEGERS.contains(argumentType)) {
      boolean query = argument instanceof SubqueryExpression;
      String sql = query ? "a subquery" : CallArguments.sql(argument), advice = "";
      String fact = argument.foldable() ? "of type " + argumentType : "not a constant";
      String intended = argument.foldable() ? integer(argument.eval(null)) : null;
      if (intended != null) {
        advice = "; write " + name + "(" + intended + ", " + CallArguments.sql(source) + ")";
      } else if (!query && INTEGERS.contains(type) && source.foldable()) {
        advice = "; this order of arguments is Hive's and Trino's, write " + name + "(" + CallArguments.sql(source)
          + ", " + sql + ")";
      }
      throw refusedValue("it is " + sql + ", " + fact, advice);
    }
    Object value = argument.eval(null);
    if (value == null) throw refusedValue("it is NULL", "");
    long number = ((Number) value).longValue();
    if (number < minimum || number > maximum) throw refusedValue("it is " + number, "");
    if (argument instanceof Literal && argument.dataType() instanceof IntegerType) return argument;
    return new Literal(Integer.valueOf((int) number), DataTypes.IntegerType);
  }

  /** The integer that a string or a decimal stands for: '16', 16.0; null if there is none in range. */
  private String integer(Object value) {
    if (value == null) return null;
    String digits = value.toString().trim();
    if (!digits.matches("[0-9]{1,10}(\\.0+)?")) return null;
    long number = Long.parseLong(digits.replaceFirst("\\..*", ""));
    return number < minimum || number > maximum ? null : String.valueOf(number);
  }

  // ------------------------------------------------------------------------------ refusals

  private RuntimeException refusedValue(String fact, String advice) {
    return refused("INVALID_PARAMETER_VALUE.PATTERN",
      Map.of("parameter", "`" + parameter + "`", "functionName", "`" + name + "`", "value",
        fact + ", but the " + noun + " must be a constant integer from " + minimum + " to " + maximum + advice));
  }

  private RuntimeException refusedCount(int count) {
    return refused("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
      Map.of("functionName", "`" + name + "`", "expectedNum", parameters, "actualNum", String.valueOf(count), "docroot",
        "https://spark.apache.org/docs/latest"));
  }

  private RuntimeException refusedType(Expression source, int index) {
    List<String> types = new ArrayList<>();
    for (String type : listed) types.add("\"" + type.toUpperCase() + "\"");
    return refused("UNEXPECTED_INPUT_TYPE",
      Map.of("paramIndex", ORDINALS[index], "functionName", "`" + name + "`", "requiredType",
        "(" + String.join(" or ", types) + ")", "inputSql", "\"" + CallArguments.sql(source) + "\"", "inputType",
        "\"" + source.dataType().sql() + "\""));
  }

  /** Throws; Function1 declares no exception, and AnalysisException is a checked one. */
  private static RuntimeException refused(String condition, Map<String, String> parameters) {
    Platform.throwException(new AnalysisException(condition, PythonUtils.toScalaMap(parameters)));
    return null;
  }
}

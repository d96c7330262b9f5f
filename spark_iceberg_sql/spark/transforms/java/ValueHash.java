package sparkicebergsql;

import java.lang.reflect.Constructor;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.util.BucketUtil;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.BitwiseAnd;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Pmod;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import scala.Option;

/** The 32-bit hash of a value that the Iceberg spec defines, as a call of Iceberg's own method in generated code. */
public final class ValueHash {
  private ValueHash() {}

  /** The hash of a value of any type that has one. */
  public static Expression of(Expression value) {
    return call(BucketUtil.class, DataTypes.IntegerType, "hash", argument(value));
  }

  /** The bucket of a value whose type Iceberg does not partition by. count: of buckets. */
  public static Expression bucket(Expression count, Expression value) {
    Literal mask = new Literal(Integer.valueOf(Integer.MAX_VALUE), DataTypes.IntegerType);
    return new Pmod(new BitwiseAnd(of(value), mask), count);
  }

  /** The value as one of the types that BucketUtil.hash accepts. */
  private static Expression argument(Expression value) {
    DataType type = value.dataType();
    if (type instanceof BooleanType || type instanceof ByteType || type instanceof ShortType)
      return cast(value, DataTypes.IntegerType);
    // 0.0 and -0.0 are equal, and have the same hash: -0.0 + 0.0 is 0.0.
    if (type instanceof FloatType || type instanceof DoubleType)
      return new Add(cast(value, DataTypes.DoubleType), new Literal(Double.valueOf(0), DataTypes.DoubleType));
    boolean isNumber = type instanceof IntegerType || type instanceof LongType || type instanceof DateType
      || type instanceof TimestampType || type instanceof TimestampNTZType;
    if (isNumber) return value;
    if (type instanceof DecimalType) {
      Object[] parameters = {value, "toJavaBigDecimal", new ObjectType(BigDecimal.class), ScalaTypes.seq(List.of()),
        ScalaTypes.seq(List.of()), Boolean.TRUE, Boolean.TRUE, Boolean.TRUE};
      return created(Invoke.class, parameters);
    }
    Expression bytes = type instanceof BinaryType ? value : cast(value, DataTypes.BinaryType);
    return call(ByteBuffer.class, new ObjectType(ByteBuffer.class), "wrap", bytes);
  }

  private static Expression cast(Expression value, DataType type) {
    return org.apache.spark.sql.catalyst.expressions.Cast$.MODULE$.apply(value, type, false);
  }

  private static Expression call(Class<?> owner, DataType result, String method, Expression argument) {
    Object[] parameters = {owner, result, method, ScalaTypes.seq(List.of(argument)), ScalaTypes.seq(List.of()),
      Boolean.TRUE, Boolean.TRUE, Boolean.TRUE};
    return created(StaticInvoke.class, parameters);
  }

  /** An expression from the parameters of its constructor; later versions of Spark have another one, the function. */
  private static Expression created(Class<?> type, Object[] parameters) {
    Constructor<?> constructor = type.getConstructors()[0];
    List<Object> values = new ArrayList<>();
    for (Object parameter : parameters) values.add(parameter);
    while (values.size() < constructor.getParameterCount()) values.add(Option.empty());
    try {
      return (Expression) constructor.newInstance(values.toArray());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}

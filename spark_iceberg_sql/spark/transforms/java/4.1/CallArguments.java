package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.FunctionSignature;
import org.apache.spark.sql.catalyst.plans.logical.InputParameter;
import org.apache.spark.sql.catalyst.plans.logical.NamedParametersSupport;
import scala.Option;
import scala.collection.immutable.Seq;

/** The arguments of a call: Spark's own methods for them, which differ between its versions. */
public final class CallArguments {
  private CallArguments() {}

  /** The parameters of a function without defaults. */
  public static FunctionSignature signature(List<String> names) {
    List<InputParameter> parameters = new ArrayList<>();
    for (String name : names) parameters.add(new InputParameter(name, Option.empty()));
    return new FunctionSignature(ScalaTypes.seq(parameters));
  }

  /**
   * The arguments in the order of the parameters, named ones included. Spark itself refuses a name that the function
   * does not have, and one given twice.
   */
  public static Seq<Expression> inOrder(FunctionSignature signature, Seq<Expression> arguments, String function) {
    return NamedParametersSupport.defaultRearrange(signature, arguments, function,
      org.apache.spark.sql.catalyst.analysis.package$.MODULE$.caseInsensitiveResolution());
  }

  /** An expression approximately as written: `tailnum`, `(id + 1)`, `'a'`. */
  public static String sql(Expression e) {
    String text = e.sql();
    // The pretty form of a string has no quotes.
    return text.startsWith("'") ? text : org.apache.spark.sql.catalyst.util.package$.MODULE$.toPrettySQL(e, true);
  }
}

import java.util.function.Function;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.Token;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer;
import org.apache.spark.sql.catalyst.parser.UpperCaseCharStream;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataType;
import scala.collection.Iterable;
import scala.collection.Iterator;

/** The results of Spark's lexer, Spark's parser and Iceberg's routing for many texts, in one call each. */
public class SparkGrammar implements Function<Object, Object> {
  /** Takes {parser, task, texts joined by U+0001}; gives the answers, joined the same way. */
  @Override
  public Object apply(Object argument) {
    Object[] arguments = (Object[]) argument;
    ParserInterface parser = (ParserInterface) arguments[0];
    String task = (String) arguments[1];
    String[] texts = ((String) arguments[2]).split("\u0001", -1);
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < texts.length; i++) {
      if (i > 0) {
        out.append('\u0001');
      }
      try {
        if (task.equals("tokens")) {
          tokens(texts[i], out);
        } else if (task.equals("plan")) {
          plan(parser, texts[i], out);
        } else {
          java.lang.reflect.Method method =
            parser.getClass().getDeclaredMethod("isIcebergCommand", new Class<?>[] {String.class});
          method.setAccessible(true);
          out.append(method.invoke(parser, new Object[] {texts[i]}));
        }
      } catch (Exception e) {
        throw new RuntimeException(texts[i], e);
      }
    }
    return out.toString();
  }

  private void tokens(String text, StringBuilder out) {
    SqlBaseLexer lexer = new SqlBaseLexer(new UpperCaseCharStream(CharStreams.fromString(text)));
    lexer.removeErrorListeners();
    for (Token token : lexer.getAllTokens()) {
      out.append(token.getStopIndex() + 1).append(' ');
    }
  }

  private void plan(ParserInterface parser, String text, StringBuilder out) throws Exception {
    Object plan;
    try {
      plan = parser.parsePlan(text);
    } catch (Throwable e) {
      refusal(e, out);
      return;
    }
    String nodeClass = plan.getClass().getSimpleName();
    out.append(nodeClass);
    if (nodeClass.endsWith("PartitionField")) {
      names(get(plan, "table"), out);
      if (nodeClass.startsWith("Replace")) {
        transform((Transform) get(plan, "transformFrom"), out);
        transform((Transform) get(plan, "transformTo"), out);
      } else {
        transform((Transform) get(plan, "transform"), out);
      }
      if (!nodeClass.startsWith("Drop")) {
        scala.Option<?> name = (scala.Option<?>) get(plan, "name");
        out.append('\u0002').append(name.isEmpty() ? "" : "AS " + name.get());
      }
    } else if (nodeClass.startsWith("CreateTable") || nodeClass.startsWith("ReplaceTable")) {
      if (!nodeClass.endsWith("Command")) {
        names(get(get(plan, "name"), "nameParts"), out);
        columns(plan, out);
        Iterator<?> iterator = iterator(get(plan, "partitioning"));
        while (iterator.hasNext()) {
          transform((Transform) iterator.next(), out);
        }
      }
    }
  }

  private void columns(Object plan, StringBuilder out) throws Exception {
    out.append('\u0002');
    if (plan.getClass().getSimpleName().endsWith("Select")) {
      return;
    }
    Iterator<?> iterator = iterator(declared(plan));
    while (iterator.hasNext()) {
      Object column = iterator.next();
      DataType type = (DataType) get(column, "dataType");
      out.append(get(column, "name")).append(' ').append(type.catalogString().replace(" ", ""));
      out.append(Boolean.TRUE.equals(get(column, "nullable")) ? "\u0004" : " required\u0004");
    }
  }

  /** The columns of a node, which Spark 3.5 keeps as a type. */
  private Object declared(Object plan) throws Exception {
    try {
      return get(plan, "columns");
    } catch (NoSuchMethodException before4_0) {
      return get(plan, "tableSchema");
    }
  }

  private void refusal(Throwable e, StringBuilder out) throws Exception {
    String condition = null;
    try {
      condition = (String) e.getClass().getMethod("getCondition", new Class<?>[0]).invoke(e, new Object[0]);
    } catch (NoSuchMethodException none) {
      condition = null;
    }
    String message = String.valueOf(e.getMessage()).trim();
    int end = message.indexOf('\n');
    out.append("!").append(e.getClass().getSimpleName()).append('\u0002').append(condition);
    out.append('\u0002').append(end < 0 ? message : message.substring(0, end));
  }

  private void transform(Transform transform, StringBuilder out) {
    out.append('\u0002').append(transform.name());
    Expression[] arguments = transform.arguments();
    for (int i = 0; i < arguments.length; i++) {
      out.append('\u0003');
      if (arguments[i] instanceof NamedReference) {
        String[] parts = ((NamedReference) arguments[i]).fieldNames();
        out.append("ref");
        for (int j = 0; j < parts.length; j++) {
          out.append('\u0004').append(parts[j]);
        }
      } else if (arguments[i] instanceof Literal) {
        Literal<?> literal = (Literal<?>) arguments[i];
        out.append("lit\u0004").append(literal.dataType()).append('\u0004').append(literal.value());
      } else {
        out.append("other");
      }
    }
  }

  private void names(Object seq, StringBuilder out) {
    out.append('\u0002');
    Iterator<?> iterator = iterator(seq);
    while (iterator.hasNext()) {
      out.append(iterator.next()).append('\u0004');
    }
  }

  private Iterator<?> iterator(Object seq) { return ((Iterable<?>) seq).iterator(); }

  private Object get(Object of, String name) throws Exception {
    return of.getClass().getMethod(name, new Class<?>[0]).invoke(of, new Object[0]);
  }
}

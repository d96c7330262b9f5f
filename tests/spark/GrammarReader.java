import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.tree.ParseTree;
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser;
import org.apache.spark.sql.catalyst.parser.UpperCaseCharStream;

/** Whether Spark's grammar has each of the statements in the standard input, which are separated by U+0001. */
public class GrammarReader {
  public static void main(String[] arguments) throws Exception {
    String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    for (String text : input.split("\u0001", -1)) {
      SqlBaseLexer lexer = new SqlBaseLexer(new UpperCaseCharStream(CharStreams.fromString(text)));
      lexer.removeErrorListeners();
      SqlBaseParser parser = new SqlBaseParser(new CommonTokenStream(lexer));
      parser.removeErrorListeners();
      ParseTree tree = (ParseTree) start(parser).invoke(parser);
      System.out.println(parser.getNumberOfSyntaxErrors() == 0 && !isRefused(tree) ? "yes" : "no");
    }
  }

  private static Method start(SqlBaseParser parser) throws Exception {
    try {
      return parser.getClass().getMethod("compoundOrSingleStatement");
    } catch (NoSuchMethodException before4_0) {
      return parser.getClass().getMethod("singleStatement");
    }
  }

  /** Whether it is one of Hive's statements, which Spark refuses in words of its own. */
  private static boolean isRefused(ParseTree tree) {
    if (tree.getClass().getSimpleName().equals("UnsupportedHiveNativeCommandsContext")) return true;
    for (int i = 0; i < tree.getChildCount(); i++)
      if (isRefused(tree.getChild(i))) return true;
    return false;
  }
}

import java.nio.charset.StandardCharsets;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
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
      parser.compoundOrSingleStatement();
      System.out.println(parser.getNumberOfSyntaxErrors() == 0 ? "yes" : "no");
    }
  }
}

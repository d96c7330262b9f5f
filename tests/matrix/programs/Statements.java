import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs a cell's statements without Python: with the jar alone, or as a client of Spark Connect.
 * Arguments: the file with a JSON list of statements, the file for the answers, and a server's address or nothing.
 */
public class Statements {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper json = new ObjectMapper();
    List<?> statements = json.readValue(Files.readString(Path.of(arguments[0])), List.class);
    var builder = SparkSession.builder();
    // By reflection: the builder of Spark 3.5 without Connect has no such method.
    if (arguments.length > 2) builder.getClass().getMethod("remote", String.class).invoke(builder, arguments[2]);
    SparkSession spark = builder.getOrCreate();
    try (PrintWriter answers = new PrintWriter(arguments[1], StandardCharsets.UTF_8)) {
      for (int index = 0; index < statements.size(); index++) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("index", index);
        answers.println(json.writeValueAsString(answer));
        answers.flush();
        try {
          answer.put("rows", rows(spark, (String) statements.get(index)));
        } catch (Throwable error) {
          answer.put("error", String.valueOf(error.getMessage()));
        }
        answers.println(json.writeValueAsString(answer));
        answers.flush();
      }
    }
    spark.stop();
  }

  private static List<List<String>> rows(SparkSession spark, String text) {
    List<List<String>> rows = new ArrayList<>();
    for (Row row : spark.sql(text).collectAsList()) {
      List<String> values = new ArrayList<>();
      for (int column = 0; column < row.length(); column++) values.add(String.valueOf(row.get(column)));
      rows.add(values);
    }
    return rows;
  }
}

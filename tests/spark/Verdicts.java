package sparkicebergsql.probes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.expressions.Expression;

/** What evaluators answered, against the truth: the worst verdict for each evaluator, situation, operator and type. */
public final class Verdicts {
  public static final int RIGHT = 0, WIDE = 1, NULL = 2, WRONG = 3, EXCEPTION = 4;
  private static final String[] NAMES = {"right", "too wide", "a null counts as a match", "WRONG", "exception"};
  private static final String SIGNS = ".wnX!";
  /** Types that Iceberg compares in another way than Spark, in tables of their own. */
  private static final List<String> APART = List.of("double", "uuid");

  /** By type, then by evaluator and situation, then by operator. */
  private final Map<String, Map<String, Map<String, Integer>>> worst = new LinkedHashMap<>();
  /** The first example of a verdict, by evaluator, verdict and operator. */
  private final Map<String, String> examples = new LinkedHashMap<>();
  private final Set<String> operators = new LinkedHashSet<>();

  public void add(String evaluator, String operator, String type, int verdict, String example) {
    operators.add(operator);
    String table = APART.contains(type) ? type : "other types";
    if (!worst.containsKey(table)) worst.put(table, new LinkedHashMap<String, Map<String, Integer>>());
    Map<String, Map<String, Integer>> rows = (Map<String, Map<String, Integer>>) worst.get(table);
    if (!rows.containsKey(evaluator)) rows.put(evaluator, new LinkedHashMap<String, Integer>());
    Map<String, Integer> cells = (Map<String, Integer>) rows.get(evaluator);
    Integer earlier = (Integer) cells.get(operator);
    if (earlier == null || earlier.intValue() < verdict) cells.put(operator, Integer.valueOf(verdict));
    if (verdict <= WIDE) return;
    String[] parts = evaluator.split(": ");
    String key = table + ", " + parts[0] + ", " + operator + ": " + NAMES[verdict] + ", such as ";
    if (!examples.containsKey(key)) examples.put(key, "(" + parts[1] + ") " + example);
  }

  /** An answer that must be true if any rows of a group have a match. */
  public void inclusive(
    String evaluator, String operator, ColumnCase column, Expression e, List<List<Object>> group, Object answer) {
    Object match = null;
    boolean matches = false;
    for (List<Object> rows : group)
      for (Object row : rows)
        if (!matches && column.isTrue(e, row)) {
          match = row;
          matches = true;
        }
    int verdict = RIGHT;
    if (!(answer instanceof Boolean)) verdict = EXCEPTION;
    else if (matches && Boolean.FALSE.equals(answer)) verdict = WRONG;
    else if (!matches && Boolean.TRUE.equals(answer)) verdict = WIDE;
    add(evaluator, operator, column.name, verdict, example(e, match, answer));
  }

  /** An answer that must be false if any rows of a group have another row than matches. */
  public void strict(
    String evaluator, String operator, ColumnCase column, Expression e, List<List<Object>> group, Object answer) {
    boolean hasOther = false, hasOtherThanNull = false, isEmpty = true;
    Object other = null;
    for (List<Object> rows : group)
      for (Object row : rows) {
        isEmpty = false;
        if (column.isTrue(e, row)) continue;
        hasOther = true;
        if (row == null) continue;
        hasOtherThanNull = true;
        other = row;
      }
    int verdict = RIGHT;
    if (!(answer instanceof Boolean)) verdict = EXCEPTION;
    else if (hasOther && Boolean.TRUE.equals(answer)) verdict = hasOtherThanNull ? WRONG : NULL;
    else if (!hasOther && !isEmpty && Boolean.FALSE.equals(answer)) verdict = WIDE;
    add(evaluator, operator, column.name, verdict, example(e, other, answer));
  }

  public static String example(Expression e, Object value, Object answer) {
    String valueText = value instanceof ByteBuffer ? Arrays.toString(ColumnCase.array((ByteBuffer) value)) : "" + value;
    String result = answer instanceof Throwable ? answer.getClass().getSimpleName() : String.valueOf(answer);
    return e.toString().replace("\n", " ") + " for " + valueText + " is " + result;
  }

  /** A table for each group of types, then an example of each kind of verdict that is more than too wide. */
  public String text() {
    StringBuilder text = new StringBuilder();
    List<String> columns = new ArrayList<>(operators);
    for (int i = 0; i < SIGNS.length(); i++) text.append(SIGNS.charAt(i)).append(" = ").append(NAMES[i]).append('\n');
    text.append('\n');
    for (int i = 0; i < columns.size(); i++) text.append(letter(i)).append(" = ").append(columns.get(i)).append('\n');
    for (String table : worst.keySet()) {
      text.append('\n').append(String.format("%-46s", table));
      for (int i = 0; i < columns.size(); i++) text.append(letter(i));
      text.append('\n');
      Map<String, Map<String, Integer>> rows = (Map<String, Map<String, Integer>>) worst.get(table);
      for (String evaluator : rows.keySet()) {
        StringBuilder line = new StringBuilder(String.format("%-46s", evaluator));
        for (String operator : columns) {
          Integer verdict = (Integer) ((Map<String, Integer>) rows.get(evaluator)).get(operator);
          line.append(verdict == null ? ' ' : SIGNS.charAt(verdict.intValue()));
        }
        text.append(line.toString().stripTrailing()).append('\n');
      }
    }
    text.append('\n');
    for (String key : examples.keySet()) text.append(key).append((String) examples.get(key)).append('\n');
    return text.toString();
  }

  private static char letter(int index) { return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM".charAt(index); }
}

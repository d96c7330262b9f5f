package sparkicebergsql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names and texts of tables in messages: none ends a line of them, or a literal that is proposed. */
public final class Outgoing {
  /** As `safe_output.py` has it: control characters, line ends and marks that change the order of what is shown. */
  private static final Pattern HIDDEN =
    Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]");

  private Outgoing() {}

  /** A text on one line, with a sign for each character that cannot be seen. */
  public static String visible(String text) {
    Matcher hidden = HIDDEN.matcher(text);
    StringBuilder result = new StringBuilder();
    int index = 0;
    for (; hidden.find(); index = hidden.end()) {
      int code = text.charAt(hidden.start());
      result.append(text, index, hidden.start());
      if (code < 0x20) result.append((char) (0x2400 + code));
      else if (code == 0x7f) result.append((char) 0x2421);
      else result.append(String.format("<U+%04X>", code));
    }
    return result.append(text, index, text.length()).toString();
  }

  /** A text as a literal of Spark's SQL, on one line. */
  public static String literal(String text) {
    return "'" + visible(text.replace("\\", "\\\\").replace("'", "\\'")) + "'";
  }
}

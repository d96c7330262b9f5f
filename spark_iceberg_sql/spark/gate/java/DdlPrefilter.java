package sparkicebergsql;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which texts the gate passes to Python: one pass over the characters, so that a query costs almost nothing.
 *
 * <p>Only ASCII letters, digits and the underscore continue a word here: a false match is better than a missed one.
 */
public class DdlPrefilter {
  private final Set<String> functions = new HashSet<>();

  /** Names of the table functions, in lower case. */
  public DdlPrefilter(List<String> functions) { this.functions.addAll(functions); }

  /** Whether a text may be partition DDL or a CALL: it has one of the verbs, and does not start like a query. */
  public static boolean mayBeDdl(String text) {
    for (int i = 0; i < text.length(); i++) {
      String verb;
      switch (text.charAt(i)) {
        case 'a':
        case 'A':
          verb = "alter";
          break;
        case 'c':
        case 'C':
          verb = isWord(text, i, "call") ? "call" : "create";
          break;
        case 'o':
        case 'O':
          verb = "overwrite";
          break;
        case 'r':
        case 'R':
          verb = "replace";
          break;
        default:
          continue;
      }
      if (isWord(text, i, verb)) return !isQuery(text);
    }
    return false;
  }

  /** Whether a text may use ClickHouse's syntax. */
  public boolean mayNeedTranslation(String text) {
    for (int i = 0; i < text.length(); i++) {
      switch (text.charAt(i)) {
        case 'i':
        case 'I':
          if (startsWord(text, i, "iceberg") && isCall(text, i)) return true;
          break;
        case 's':
        case 'S':
          if (isWord(text, i, "settings") || isWord(text, i, "sync")) return true;
          break;
        case 'o':
        case 'O':
          if (isWord(text, i, "optimize")) return true;
          break;
        case 'd':
        case 'D':
          if (isWord(text, i, "delete") && startsWord(text, afterBlanks(text, i + 6), "where")) return true;
          break;
        default:
      }
    }
    return false;
  }

  /** A text whose first word is SELECT is a single query, in Spark's grammar and in Iceberg's. */
  private static boolean isQuery(String text) { return isWord(text, afterBlanks(text, 0), "select"); }

  private boolean isCall(String text, int start) {
    int end = start;
    while (end < text.length() && continuesWord(text.charAt(end))) end++;
    int next = afterBlanks(text, end);
    return next < text.length() && text.charAt(next) == '('
      && functions.contains(text.substring(start, end).toLowerCase(Locale.ROOT));
  }

  private static boolean isWord(String text, int offset, String keyword) {
    int end = offset + keyword.length();
    return startsWord(text, offset, keyword) && (end == text.length() || !continuesWord(text.charAt(end)));
  }

  private static boolean startsWord(String text, int offset, String prefix) {
    return (offset == 0 || !continuesWord(text.charAt(offset - 1)))
      && text.regionMatches(true, offset, prefix, 0, prefix.length());
  }

  private static int afterBlanks(String text, int offset) {
    while (offset < text.length() && Character.isWhitespace(text.charAt(offset))) offset++;
    return offset;
  }

  private static boolean continuesWord(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
  }
}

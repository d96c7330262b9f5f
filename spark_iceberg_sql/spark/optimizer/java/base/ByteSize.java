package sparkicebergsql;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: `10 GB` is 10,000,000,000 bytes, `10 GiB` 10,737,418,240. */
public final class ByteSize {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,18}(?:\\.\\d{1,9})?)\\s*([kmgtp]?)(i?)b?");
  private static final String PREFIXES = "kMGTP";

  private ByteSize() {}

  /** The bytes of a size; null if the text is none. */
  public static Long of(String text) {
    Matcher size = SIZE.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!size.matches() || size.group(2).isEmpty() && !size.group(3).isEmpty()) return null;
    int power = size.group(2).isEmpty() ? 0 : 1 + PREFIXES.toLowerCase(Locale.ROOT).indexOf(size.group(2));
    BigDecimal unit = new BigDecimal(size.group(3).isEmpty() ? 1000 : 1024).pow(power);
    BigDecimal bytes = new BigDecimal(size.group(1)).multiply(unit);
    return Long.valueOf(bytes.min(new BigDecimal(Long.MAX_VALUE)).longValue());
  }

  /** A number of bytes in readable form, as `size` of checker/plan.py writes it. */
  public static String text(long bytes) {
    if (bytes < 1000) return bytes + " B";
    double value = bytes;
    int power = 0;
    for (; value >= 1000 && power < PREFIXES.length(); power++) value /= 1000;
    return String.format(Locale.ROOT, "%.1f %sB", value, PREFIXES.substring(power - 1, power));
  }
}

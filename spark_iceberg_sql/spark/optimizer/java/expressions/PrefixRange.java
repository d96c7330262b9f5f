package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * <code>LIKE 'prefix%'</code> of a column as a range: from the prefix to the next text that does not begin with it.
 *
 * <p>Texts are in the order of their UTF-8 bytes, which is that of their code points. Bytes that are no UTF-8 may lie
 * within the range after a prefix that ends in another character than one of ASCII.
 */
public final class PrefixRange {
  /** The last code point before the surrogates, which no UTF-8 has, and the first one after them. */
  private static final int BEFORE_SURROGATES = 0xd7ff, AFTER_SURROGATES = 0xe000;
  private final Expression column;
  /** Null if the prefix is no UTF-8. */
  private final String prefix;
  /** Null if there is none. */
  private final String end;
  /** Whether exactly the texts with the prefix are in the range. */
  public final boolean isExact;

  private PrefixRange(Expression column, UTF8String text) {
    this.column = column;
    boolean isText = UTF8String.fromString(text.toString()).equals(text);
    prefix = isText ? text.toString() : null;
    end = isText ? next(prefix) : null;
    boolean isAscii = end != null && end.codePointBefore(end.length()) < 0x80;
    isExact = isText && (prefix.isEmpty() || isAscii);
  }

  /** Of a predicate on a column; null if it is none, or its prefix is no constant. */
  public static PrefixRange of(Expression e) {
    if (!(e instanceof StartsWith)) return null;
    Expression column = ((StartsWith) e).left(), prefix = ((StartsWith) e).right();
    boolean isText = column.dataType().equals(DataTypes.StringType) && prefix.dataType().equals(DataTypes.StringType);
    if (!isText || !PartitionLayout.isColumn(column) || !(prefix instanceof Literal)) return null;
    Object text = ((Literal) prefix).value();
    return text == null ? null : new PrefixRange(column, (UTF8String) text);
  }

  public Expression column() { return column; }

  /** The least text above all those with a prefix; null if there is none. */
  private static String next(String prefix) {
    int length = prefix.length();
    while (length > 0) {
      int last = prefix.codePointBefore(length);
      length -= Character.charCount(last);
      int next = last == BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1;
      if (next <= Character.MAX_CODE_POINT)
        return new StringBuilder(prefix.substring(0, length)).appendCodePoint(next).toString();
    }
    return null;
  }

  private static Expression literal(String text) {
    return Literal.create(UTF8String.fromString(text), DataTypes.StringType);
  }

  /** True for all texts with the prefix, if it isExact for no others, and never null. */
  public Expression within() {
    Expression result = new IsNotNull(column);
    if (prefix != null && !prefix.isEmpty()) result = new And(result, new GreaterThanOrEqual(column, literal(prefix)));
    return end == null ? result : new And(result, new LessThan(column, literal(end)));
  }

  /** True for all texts without the prefix, if it isExact for no others, and never null. */
  public Expression outside() {
    if (!isExact) return new IsNotNull(column);
    Expression below = new LessThan(column, literal(prefix));
    Expression other = end == null ? below : new Or(below, new GreaterThanOrEqual(column, literal(end)));
    return new And(new IsNotNull(column), other);
  }
}

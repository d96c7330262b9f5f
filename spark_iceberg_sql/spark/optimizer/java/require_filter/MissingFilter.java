package sparkicebergsql;

/** A statement is refused because no filter chooses partitions of a table. */
public class MissingFilter extends UnsupportedOperationException {
  private static final long serialVersionUID = 1;

  public MissingFilter(String text) { super(text); }
}

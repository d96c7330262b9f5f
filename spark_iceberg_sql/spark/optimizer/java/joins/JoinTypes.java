package sparkicebergsql;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.Join;

/** Which rows of the sides of a join its type keeps. */
public final class JoinTypes {
  /** Rows of the left side that join nothing are not in the result. */
  private static final List<String> NEED_RIGHT = List.of("Inner", "Cross", "RightOuter", "LeftSemi");
  /** Rows of the right side that join nothing are without effect. */
  private static final List<String> NEED_LEFT = List.of("Inner", "Cross", "LeftOuter", "LeftSemi", "LeftAnti");
  private static final List<String> NULLS_ON_THE_LEFT = List.of("RightOuter", "FullOuter");
  private static final List<String> NULLS_ON_THE_RIGHT = List.of("LeftOuter", "FullOuter");

  private JoinTypes() {}

  /** A join's type, as Spark names its class. */
  public static String name(Join join) { return join.joinType().getClass().getSimpleName().replace("$", ""); }

  /** Whether the rows of a side, 0 or 1, that join nothing can be left out. */
  public static boolean needsOther(Join join, int side) {
    return (side == 0 ? NEED_RIGHT : NEED_LEFT).contains(name(join));
  }

  /** Whether the columns of a side, 0 or 1, are null in some rows of the result. */
  public static boolean addsNulls(Join join, int side) {
    return (side == 0 ? NULLS_ON_THE_LEFT : NULLS_ON_THE_RIGHT).contains(name(join));
  }
}

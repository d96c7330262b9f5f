package sparkicebergsql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * An operation whose write has one more option: MERGE, UPDATE and DELETE have no clause for any, and Spark gives their
 * writes none. All else is the operation's.
 */
public final class RowLevelOption implements InvocationHandler {
  private static final String WRITE = "newWriteBuilder", OPTIONS = "options";
  private final Object target;
  private final String option, value;

  private RowLevelOption(Object target, String option, String value) {
    this.target = target;
    this.option = option;
    this.value = value;
  }

  /** The operation with an option for its write. */
  public static RowLevelOperation of(RowLevelOperation operation, String option, String value) {
    return (RowLevelOperation) Delegation.of(operation, new RowLevelOption(operation, option, value));
  }

  /** Whether an operation is one of these. */
  public static boolean isIn(RowLevelOperation operation) {
    return Delegation.handler(operation) instanceof RowLevelOption;
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    // Spark compares plans, and thereby their operations.
    if (method.getName().equals("equals") && arguments != null) return Boolean.valueOf(proxy == arguments[0]);
    Object[] passed = arguments;
    if (method.getName().equals(WRITE)) {
      RowLevelOption ofWrite = new RowLevelOption(arguments[0], option, value);
      passed = new Object[] {Delegation.of(arguments[0], ofWrite)};
    }
    Object result = Delegation.pass(target, method, passed);
    return target instanceof LogicalWriteInfo && method.getName().equals(OPTIONS) ? added(result) : result;
  }

  private Object added(Object options) {
    Map<String, String> all = new HashMap<>(((CaseInsensitiveStringMap) options).asCaseSensitiveMap());
    all.put(option, value);
    return new CaseInsensitiveStringMap(all);
  }
}

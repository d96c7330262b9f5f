package sparkicebergsql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
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
    return (RowLevelOperation) proxy(operation, new RowLevelOption(operation, option, value));
  }

  /** Whether an operation is one of these. */
  public static boolean isIn(RowLevelOperation operation) {
    return Proxy.isProxyClass(operation.getClass()) && Proxy.getInvocationHandler(operation) instanceof RowLevelOption;
  }

  private static Object proxy(Object target, RowLevelOption handler) {
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    for (Class<?> c = target.getClass(); c != null; c = c.getSuperclass())
      for (Class<?> i : c.getInterfaces()) interfaces.add(i);
    Class<?>[] all = new Class<?>[interfaces.size()];
    int count = 0;
    for (Object i : interfaces) all[count++] = (Class<?>) i;
    return Proxy.newProxyInstance(target.getClass().getClassLoader(), all, handler);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    // Spark compares plans, and thereby their operations.
    if (method.getName().equals("equals") && arguments != null) return Boolean.valueOf(proxy == arguments[0]);
    Object[] passed = arguments;
    if (method.getName().equals(WRITE)) {
      RowLevelOption ofWrite = new RowLevelOption(arguments[0], option, value);
      passed = new Object[] {proxy(arguments[0], ofWrite)};
    }
    try {
      Object result = method.invoke(target, passed);
      return target instanceof LogicalWriteInfo && method.getName().equals(OPTIONS) ? added(result) : result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object added(Object options) {
    Map<String, String> all = new HashMap<>(((CaseInsensitiveStringMap) options).asCaseSensitiveMap());
    all.put(option, value);
    return new CaseInsensitiveStringMap(all);
  }
}

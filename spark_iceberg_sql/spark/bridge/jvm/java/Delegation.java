package sparkicebergsql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Set;

/** Objects that stand for others of Spark's or Iceberg's, and pass on most of what is called. */
public final class Delegation {
  private Delegation() {}

  /** An object with all interfaces of another, whose calls a handler takes. */
  public static Object of(Object target, InvocationHandler handler) {
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    for (Class<?> c = target.getClass(); c != null; c = c.getSuperclass())
      for (Class<?> i : c.getInterfaces()) interfaces.add(i);
    return of(target.getClass().getClassLoader(), interfaces, handler);
  }

  /** An object with some interfaces. */
  public static Object of(ClassLoader loader, Set<Class<?>> interfaces, InvocationHandler handler) {
    Class<?>[] all = new Class<?>[interfaces.size()];
    int count = 0;
    for (Object i : interfaces) all[count++] = (Class<?>) i;
    return Proxy.newProxyInstance(loader, all, handler);
  }

  /** The handler of an object that stands for another; null if this is none. */
  public static Object handler(Object object) {
    return Proxy.isProxyClass(object.getClass()) ? Proxy.getInvocationHandler(object) : null;
  }

  /** Passes a call on: its error is the target's own. */
  public static Object pass(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}

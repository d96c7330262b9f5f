import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Prints the parameters of the procedures in a runtime of Iceberg, one on each line: the procedure, the name, Spark's
 * type, whether a call needs it. In the order in which a call without names gives them.
 *
 * <p>It reads the classes' constants: a procedure itself cannot be built without a session.
 */
public class ProcedureReader {
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Class<?> procedures = Class.forName("org.apache.iceberg.spark.procedures.SparkProcedures");
    for (Map.Entry<String, Supplier<?>> builder : builders(procedures).entrySet()) {
      Class<?> procedure = builder.getValue().get().getClass().getEnclosingClass();
      for (Object parameter : (Object[]) constant(procedure, "PARAMETERS"))
        System.out.println(String.join("\t", builder.getKey(), (String) call(parameter, "name"),
          (String) call(call(parameter, "dataType"), "simpleString"), String.valueOf(isRequired(parameter))));
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Supplier<?>> builders(Class<?> procedures) throws ReflectiveOperationException {
    return new TreeMap<>((Map<String, Supplier<?>>) constant(procedures, "BUILDERS"));
  }

  private static Object constant(Class<?> owner, String name) throws ReflectiveOperationException {
    Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(null);
  }

  /** Iceberg's parameters, before Spark had its own, say so; Spark's have a default value if they are optional. */
  private static boolean isRequired(Object parameter) throws ReflectiveOperationException {
    if (parameter.getClass().getName().startsWith("org.apache.spark.sql.connector.iceberg."))
      return (Boolean) call(parameter, "required");
    return call(parameter, "defaultValue") == null;
  }

  private static Object call(Object receiver, String method) throws ReflectiveOperationException {
    java.lang.reflect.Method getter = receiver.getClass().getMethod(method);
    getter.setAccessible(true);
    return getter.invoke(receiver);
  }
}

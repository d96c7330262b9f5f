package sparkicebergsql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.sql.SparkSession;
import scala.Function1;

/** The functions iceberg_* of this JVM. */
public class TransformFunctions {
  private final AtomicReference<Function1<SparkSession, Object>> rules = new AtomicReference<>();
  private final Map<String, TransformFunction> functions = new ConcurrentHashMap<>();
  private final SpecFunctions specFunctions = new SpecFunctions();

  public TransformFunctions() {
    for (FunctionRow row : FunctionRow.ALL) functions.put(row.name, new TransformFunction(row, rules));
  }

  /** The function of that name. */
  public TransformFunction byName(String name) { return (TransformFunction) functions.get(name); }

  /** The catalog iceberg_functions. */
  public SpecFunctions specFunctions() { return specFunctions; }

  /** ensure: adds the optimizer rules to a session that uses a function and has never had them. */
  public void withRules(Function1<SparkSession, Object> ensure) { rules.set(ensure); }
}

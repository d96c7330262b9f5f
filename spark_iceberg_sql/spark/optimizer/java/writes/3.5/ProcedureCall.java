package sparkicebergsql;

import java.lang.reflect.Method;
import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.iceberg.catalog.ProcedureParameter;

/** A CALL: a command of Iceberg's, whose procedures have a catalog but no name. */
public final class ProcedureCall {
  private final Call call;
  private final CatalogPlugin catalog;

  private ProcedureCall(Call call, CatalogPlugin catalog) {
    this.call = call;
    this.catalog = catalog;
  }

  public static boolean is(LogicalPlan plan) { return plan instanceof Call; }

  /** Null if the plan is not such a call. */
  public static ProcedureCall of(LogicalPlan plan) {
    Object catalog = is(plan) ? catalog(((Call) plan).procedure()) : null;
    return catalog == null ? null : new ProcedureCall((Call) plan, (CatalogPlugin) catalog);
  }

  private static Object catalog(Object procedure) {
    try {
      Method catalog = procedure.getClass().getSuperclass().getDeclaredMethod("tableCatalog", new Class<?>[0]);
      catalog.setAccessible(true);
      return catalog.invoke(procedure, new Object[0]);
    } catch (ReflectiveOperationException other) {
      return null;
    }
  }

  /** The name in SQL: ancestors_of for AncestorsOfProcedure. */
  public String name() {
    String name = call.procedure().getClass().getSimpleName().replaceAll("Procedure$", "");
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }

  public CatalogPlugin catalog() { return catalog; }

  /** The argument for a parameter; null if there is none of that name. */
  public Expression argument(String name) {
    ProcedureParameter[] parameters = call.procedure().parameters();
    for (int i = 0; i < parameters.length && i < call.args().size(); i++)
      if (parameters[i].name().equals(name)) return (Expression) call.args().apply(i);
    return null;
  }
}

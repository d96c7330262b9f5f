package sparkicebergsql;

import org.apache.spark.sql.catalyst.analysis.ResolvedProcedure;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Call;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.Procedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;

/** A CALL: Spark optimizes it to evaluate its arguments, and then executes it. */
public final class ProcedureCall {
  private final Call call;
  private final ResolvedProcedure resolved;
  private final BoundProcedure procedure;

  private ProcedureCall(Call call, ResolvedProcedure resolved, BoundProcedure procedure) {
    this.call = call;
    this.resolved = resolved;
    this.procedure = procedure;
  }

  public static boolean is(LogicalPlan plan) { return plan instanceof Call; }

  /** Null if the plan is not such a call. */
  public static ProcedureCall of(LogicalPlan plan) {
    if (!is(plan) || !((Call) plan).execute()) return null;
    if (!(((Call) plan).procedure() instanceof ResolvedProcedure)) return null;
    ResolvedProcedure resolved = (ResolvedProcedure) ((Call) plan).procedure();
    Procedure procedure = (Procedure) resolved.procedure();
    return procedure instanceof BoundProcedure ? new ProcedureCall((Call) plan, resolved, (BoundProcedure) procedure)
                                               : null;
  }

  public String name() { return procedure.name(); }

  public CatalogPlugin catalog() { return (CatalogPlugin) resolved.catalog(); }

  /** The argument for a parameter; null if there is none of that name. */
  public Expression argument(String name) {
    ProcedureParameter[] parameters = procedure.parameters();
    for (int i = 0; i < parameters.length && i < call.args().size(); i++)
      if (parameters[i].name().equals(name)) return (Expression) call.args().apply(i);
    return null;
  }
}

package sparkicebergsql.tests;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.execution.ColumnarRule;
import scala.Function1;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** An extension that may take Spark's operators over, as Comet, Gluten and Auron do; this one leaves them as they are. */
public final class ColumnarEngine extends AbstractFunction1<Object, Object> {
  @Override
  @SuppressWarnings("unchecked")
  public Object apply(Object extensions) {
    Function1<?, ?> rules = new Rules();
    ((SparkSessionExtensions) extensions).injectColumnar((Function1<SparkSession, ColumnarRule>) rules);
    return BoxedUnit.UNIT;
  }

  private static final class Rules extends AbstractFunction1<Object, Object> {
    @Override
    public Object apply(Object session) {
      return new ColumnarRule();
    }
  }
}

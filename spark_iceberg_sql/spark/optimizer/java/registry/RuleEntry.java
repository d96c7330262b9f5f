package sparkicebergsql;

import org.apache.spark.sql.SparkSession;

/** A rule of the registry, and what is wrong with it. */
public class RuleEntry {
  public final RuleRow row;
  private volatile SwitchedRule rule;
  private volatile String fault;
  private volatile SelfTests tests;
  private boolean isReported;

  public RuleEntry(RuleRow row) { this.row = row; }

  /** Sets the rule; null if it could not be compiled, and reason is then why. */
  public void set(SwitchedRule compiled, String reason) {
    if (compiled != null) compiled.setSwitchKey(row.switchKey);
    rule = compiled;
    if (reason != null) disable(reason);
  }

  /** The rule; null before {@link #awaitTest}, and if it could not be compiled. */
  public SwitchedRule rule() { return rule; }

  /** Why it is disabled, as far as it has been tested; null if it is not. */
  public String fault() { return fault; }

  /** Disables it, if it is not yet. */
  public void disable(String reason) {
    if (fault == null) fault = reason;
  }

  /** Whether plans may go through it: waits until it is compiled and tested. */
  public boolean isSound() {
    awaitTest();
    return fault == null;
  }

  /** Sets what will test it. */
  public void setTests(SelfTests selfTests) { tests = selfTests; }

  /** Waits until it is compiled and tested; if that does not end, it is disabled. */
  public void awaitTest() {
    SelfTests selfTests = tests;
    String failure = selfTests == null ? null : selfTests.await();
    if (failure == null) return;
    disable(failure);
    tests = null;
  }

  /** Tests it in a session. */
  public void test(SparkSession session) {
    if (fault != null) return;
    String result;
    try {
      result = rule.fault(session);
    } catch (Error error) {
      result = String.valueOf(error);
    }
    if (result != null && !session.sparkContext().isStopped()) disable("its self-test has another result: " + result);
  }

  /** Whether its fault has not been reported yet; marks it as reported. */
  public boolean isNewFault() {
    if (fault == null || isReported) return false;
    isReported = true;
    return true;
  }

  /** Marks its fault as reported. */
  public void setReported() { isReported = true; }
}

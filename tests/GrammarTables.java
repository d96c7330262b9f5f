import org.antlr.v4.runtime.Vocabulary;
import org.antlr.v4.runtime.atn.ATN;
import org.antlr.v4.runtime.atn.ATNState;
import org.antlr.v4.runtime.atn.PrecedencePredicateTransition;
import org.antlr.v4.runtime.atn.PredicateTransition;
import org.antlr.v4.runtime.atn.RuleTransition;
import org.antlr.v4.runtime.atn.Transition;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser;

/**
 * The automaton of Spark's grammar as lines: a token is `token`, its name and its literal; a rule is `rule`, its name,
 * the state in which it begins and the one in which it ends; an arc is `arc`, the state that it leaves, the one that it
 * leads to, and what it takes: nothing, a token, any but the end, a rule with the least precedence of its operators, or `least` and the
 * precedence of the operator behind it.
 */
public class GrammarTables {
  public static void main(String[] arguments) {
    SqlBaseParser parser = new SqlBaseParser(null);
    ATN atn = parser.getATN();
    Vocabulary vocabulary = parser.getVocabulary();
    for (int token = 1; token <= vocabulary.getMaxTokenType(); token++)
      print("token", vocabulary.getSymbolicName(token), vocabulary.getLiteralName(token));
    String[] rules = parser.getRuleNames();
    for (int i = 0; i < rules.length; i++)
      print("rule", rules[i], atn.ruleToStartState[i].stateNumber, atn.ruleToStopState[i].stateNumber);
    for (ATNState state : atn.states) {
      if (state == null || state.getStateType() == ATNState.RULE_STOP) continue;
      for (Transition arc : state.getTransitions()) arc(parser, rules, vocabulary, state.stateNumber, arc);
    }
  }

  private static void arc(SqlBaseParser parser, String[] rules, Vocabulary vocabulary, int from, Transition arc) {
    int to = arc.target.stateNumber;
    if (arc instanceof RuleTransition) {
      RuleTransition call = (RuleTransition) arc;
      print("arc", from, call.followState.stateNumber, "rule", rules[call.target.ruleIndex], call.precedence);
    } else if (arc instanceof PrecedencePredicateTransition) {
      print("arc", from, to, "least", ((PrecedencePredicateTransition) arc).precedence);
    } else if (arc instanceof PredicateTransition) {
      PredicateTransition predicate = (PredicateTransition) arc;
      if (holds(parser, predicate)) print("arc", from, to, "nothing");
    } else if (arc.getSerializationType() == Transition.WILDCARD) {
      print("arc", from, to, "token", "*");
    } else if (arc.label() == null) {
      print("arc", from, to, "nothing");
    } else {
      if (arc.getSerializationType() == Transition.NOT_SET) throw new IllegalStateException("a set's complement");
      for (int token : arc.label().toList())
        print("arc", from, to, "token", token < 0 ? "EOF" : vocabulary.getSymbolicName(token));
    }
  }

  /** Whether a condition of the grammar holds with Spark's defaults; those of the text that is parsed may. */
  private static boolean holds(SqlBaseParser parser, PredicateTransition predicate) {
    try {
      return parser.sempred(null, predicate.ruleIndex, predicate.predIndex);
    } catch (NullPointerException withoutText) {
      return true;
    }
  }

  private static void print(Object... columns) {
    StringBuilder line = new StringBuilder();
    for (Object column : columns) line.append(line.length() == 0 ? "" : "\t").append(column);
    System.out.println(line);
  }
}

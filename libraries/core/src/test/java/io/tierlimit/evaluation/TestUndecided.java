package io.tierlimit.evaluation;

import io.tierlimit.UndecidedRule;
import org.jspecify.annotations.Nullable;

/**
 * A rule without a decision of the store, for tests.
 */
public record TestUndecided(String rule, @Nullable String plan, boolean rejects) implements UndecidedRule {

}

package io.tierlimit.evaluation;

import io.tierlimit.UndecidedRule;
import org.jspecify.annotations.Nullable;

/**
 * A rule that no store decided, for tests.
 */
public record TestUndecided(String rule, @Nullable String plan, boolean rejects) implements UndecidedRule {

}

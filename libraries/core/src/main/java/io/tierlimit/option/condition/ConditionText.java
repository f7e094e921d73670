package io.tierlimit.option.condition;

import java.util.List;

import io.tierlimit.rule.OptionValue;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a rule.
 *
 * @param text an expression over the caller
 */
public record ConditionText(String text) implements OptionValue {

	@Override
	public List<String> expressions() {
		return List.of(this.text);
	}

	/** With another condition, the rule may apply to other requests. */
	@Override
	public boolean mayRejectMore(@Nullable OptionValue before, @Nullable OptionValue after) {
		return true;
	}

	@Override
	public boolean appliesToDerived() {
		return true;
	}

}

package io.tierlimit.option.toy;

import java.util.List;

import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.OptionValue;
import io.tierlimit.rule.reader.PropertyReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads whether every tenth request is free.
 */
final class EveryTenthFreeReader implements OptionReader {

	private static final String PROPERTY = "every-tenth-free";

	@Override
	public List<String> properties() {
		return List.of(PROPERTY);
	}

	@Override
	public @Nullable OptionValue read(PropertyReader properties, RuleContext rule) {
		return properties.valueOr(PROPERTY, false) ? new EveryTenthFree.Value() : null;
	}

}

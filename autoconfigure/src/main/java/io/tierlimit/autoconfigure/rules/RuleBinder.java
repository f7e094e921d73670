package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import io.tierlimit.autoconfigure.properties.RuleProperties;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * Binds rules that are written elsewhere than in the configuration, as those are that
 * stand there.
 */
final class RuleBinder {

	private static final ConfigurationPropertyName RULE = ConfigurationPropertyName.of("tierlimit.rules.it");

	private RuleBinder() {
	}

	/**
	 * Binds a rule.
	 * @param texts values by the names of properties
	 * @param problems where values are noted that can't be converted
	 * @return the rule, without such values
	 */
	static RuleProperties bind(Map<String, String> texts, RuleProblems problems) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		texts.forEach((property, text) -> source.put(RULE + "." + property, text));
		ConversionFailures failures = new ConversionFailures();
		RuleProperties rule = new Binder(source).bindOrCreate(RULE.toString(), Bindable.of(RuleProperties.class),
				failures.apply(BindHandler.DEFAULT));
		failures.report(problems);
		return rule;
	}

}

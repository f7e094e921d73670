package io.tierlimit.autoconfigure.rules;

import java.util.Map;
import java.util.Objects;

import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.ModeInForce;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * The properties of rules and overrides.
 *
 * @param mode the mode of all rules
 * @param rules the rules by their ids
 * @param overrides the overrides by their ids
 * @param places the places of their properties
 * @param failures the values that could not be converted
 */
record BoundRules(RuleMode mode, Map<String, RuleProperties> rules, Map<String, OverrideProperties> overrides,
		PropertyOrigins places, ConversionFailures failures) {

	private static final ConfigurationPropertyName MODE = ConfigurationPropertyName.of("tierlimit.mode");

	/** The mode of all rules, and the place that sets it. */
	ModeInForce modeInForce() {
		return new ModeInForce(this.mode, Objects.requireNonNullElse(this.places.origin(MODE), "default"));
	}

	/** Binds the properties of the configuration. */
	static BoundRules bind(Environment environment) {
		return bind(environment, ConfigurationPropertySources.get(environment));
	}

	/**
	 * Binds properties.
	 * @param environment resolves placeholders
	 * @param sources have the properties; the first overrides all others
	 */
	static BoundRules bind(Environment environment, Iterable<ConfigurationPropertySource> sources) {
		ConversionFailures failures = new ConversionFailures();
		RuleSetProperties bound = new Binder(sources, new PropertySourcesPlaceholdersResolver(environment))
			.bindOrCreate("tierlimit", Bindable.of(RuleSetProperties.class), failures.apply(BindHandler.DEFAULT));
		return new BoundRules(bound.mode(), RuleSetReader.spelledOnce(bound.rules()),
				RuleSetReader.spelledOnce(bound.overrides()), new PropertyOrigins(environment, sources), failures);
	}

}

package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * The properties of rules below {@code tierlimit.rules}.
 *
 * @param rules the rules by their ids
 * @param places the places of their properties
 * @param failures the values that could not be converted
 */
record BoundRules(Map<String, RuleProperties> rules, PropertyOrigins places, ConversionFailures failures) {

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
		return new BoundRules(RuleSetReader.spelledOnce(bound.rules()), new PropertyOrigins(environment, sources),
				failures);
	}

}

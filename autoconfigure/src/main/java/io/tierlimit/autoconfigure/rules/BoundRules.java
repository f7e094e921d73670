package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.List;
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

	/**
	 * Binds the properties.
	 * @param environment the configuration
	 * @param overriding sources that override the configuration, the first of them all
	 * others
	 */
	static BoundRules bind(Environment environment, List<ConfigurationPropertySource> overriding) {
		List<ConfigurationPropertySource> sources = new ArrayList<>(overriding);
		ConfigurationPropertySources.get(environment).forEach(sources::add);
		ConversionFailures failures = new ConversionFailures();
		RuleSetProperties bound = new Binder(sources, new PropertySourcesPlaceholdersResolver(environment))
			.bindOrCreate("tierlimit", Bindable.of(RuleSetProperties.class), failures.apply(BindHandler.DEFAULT));
		return new BoundRules(RuleSetReader.spelledOnce(bound.rules()), new PropertyOrigins(environment, sources),
				failures);
	}

}

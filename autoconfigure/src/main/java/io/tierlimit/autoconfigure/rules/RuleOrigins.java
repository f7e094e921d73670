package io.tierlimit.autoconfigure.rules;

import io.tierlimit.method.RateLimitedOperation;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Finds where rules are written.
 */
final class RuleOrigins {

	private final PropertyOrigins configuration;

	private final PropertyOrigins sources;

	private final AnnotationReader annotations;

	private final RuleDefinitionReader defined;

	/**
	 * Creates origins.
	 * @param configuration the places of properties in the configuration
	 * @param sources the places of properties in rule sources
	 * @param annotations the rules that annotations define
	 * @param defined the rules that beans define
	 */
	RuleOrigins(PropertyOrigins configuration, PropertyOrigins sources, AnnotationReader annotations,
			RuleDefinitionReader defined) {
		this.configuration = configuration;
		this.sources = sources;
		this.annotations = annotations;
		this.defined = defined;
	}

	/**
	 * Returns a file and line, an annotation, a bean, or the place in a rule source; for
	 * a rule that a source changes, both.
	 */
	String of(String id) {
		String definition = definition(id);
		String source = place(this.sources, id);
		return (definition != null && source != null) ? definition + ", changed by " + source
				: (definition != null) ? definition : String.valueOf(source);
	}

	private @Nullable String definition(String id) {
		RateLimitedOperation use = this.annotations.definitionOf(id);
		String bean = this.defined.beanOf(id);
		if (use != null) {
			return use.toString();
		}
		return (bean != null) ? "bean '" + bean + "'" : place(this.configuration, id);
	}

	private static @Nullable String place(PropertyOrigins places, String id) {
		ConfigurationPropertyName rate = RuleSetReader.name(id, "rate");
		String place = places.origin(rate);
		return (place != null) ? place : places.origin(rate.getParent());
	}

}

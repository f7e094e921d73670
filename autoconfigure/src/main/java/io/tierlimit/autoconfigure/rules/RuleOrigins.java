package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.PropertyPlaces;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.rule.CallerOverride;
import org.jspecify.annotations.Nullable;

/**
 * Finds where rules are written.
 */
final class RuleOrigins {

	private final PropertyOrigins configuration;

	private final SourceTexts sources;

	private final AnnotationReader annotations;

	private final RuleSetReader defined;

	private final Map<CallerOverride, String> overrides;

	/**
	 * Creates origins.
	 * @param configuration the places of properties in the configuration
	 * @param sources the properties of rule sources
	 * @param annotations the rules that annotations define
	 * @param defined the rules that beans define
	 * @param overrides the places of overrides
	 */
	RuleOrigins(PropertyOrigins configuration, SourceTexts sources, AnnotationReader annotations, RuleSetReader defined,
			Map<CallerOverride, String> overrides) {
		this.configuration = configuration;
		this.sources = sources;
		this.annotations = annotations;
		this.defined = defined;
		this.overrides = overrides;
	}

	/**
	 * Returns a file and line, an annotation, a bean, or the place in a rule source; for
	 * a rule that a source changes, both.
	 */
	String of(String id) {
		String definition = definition(id);
		SourceTexts.OfRule changes = this.sources.of(id);
		String source = (changes != null) ? changes.place() : null;
		return (definition != null && source != null) ? definition + ", changed by " + source
				: (definition != null) ? definition : String.valueOf(source);
	}

	/** Returns the same origins with other places of overrides. */
	RuleOrigins with(Map<CallerOverride, String> places) {
		return new RuleOrigins(this.configuration, this.sources, this.annotations, this.defined, places);
	}

	/** Returns a file and line, or the place in a rule source. */
	String ofOverride(CallerOverride override) {
		return this.overrides.getOrDefault(override, "");
	}

	private @Nullable String definition(String id) {
		RateLimitedOperation use = this.annotations.definitionOf(id);
		String bean = this.defined.beanOf(id);
		if (use != null) {
			return use.toString();
		}
		return (bean != null) ? "bean '" + bean + "'" : place(id);
	}

	private @Nullable String place(String id) {
		return new PropertyPlaces(PropertyPlaces.RULES, id, this.configuration).first();
	}

}

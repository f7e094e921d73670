package io.tierlimit.autoconfigure.rules;

import java.util.Objects;

import io.tierlimit.method.RateLimitedOperation;

import org.jspecify.annotations.Nullable;

/**
 * Finds where rules are written.
 */
final class RuleOrigins {

	private static final String CODE = "code";

	private final PropertyOrigins places;

	private final AnnotationReader annotations;

	private final RuleDefinitionReader defined;

	private final boolean configured;

	/**
	 * Creates origins.
	 * @param places the places of properties
	 * @param annotations the rules that annotations define
	 * @param defined the rules that beans define
	 * @param configured whether the other rules are those of the configuration
	 */
	RuleOrigins(PropertyOrigins places, AnnotationReader annotations, RuleDefinitionReader defined,
			boolean configured) {
		this.places = places;
		this.annotations = annotations;
		this.defined = defined;
		this.configured = configured;
	}

	/** Returns a file and line, an annotation, a bean, or code. */
	String of(String id) {
		RateLimitedOperation use = this.annotations.definitionOf(id);
		if (use != null) {
			return use.toString();
		}
		String bean = this.configured ? this.defined.beanOf(id) : null;
		if (bean != null) {
			return "bean '" + bean + "'";
		}
		@Nullable String place = this.configured ? this.places.origin(RuleSetReader.name(id, "rate")) : null;
		return Objects.requireNonNullElse(place, CODE);
	}

}

package io.tierlimit.autoconfigure.rules;

import java.util.Set;

import io.tierlimit.RuleDefinition;
import org.jspecify.annotations.Nullable;

/**
 * The properties that rule sources set for rules that beans and annotations define.
 */
final class Amendments {

	private final BoundRules bound;

	private final Set<String> configured;

	/**
	 * Creates amendments.
	 * @param bound the properties of all rules
	 * @param configured the ids of the rules that the configuration defines; their
	 * properties are complete
	 */
	Amendments(BoundRules bound, Set<String> configured) {
		this.bound = bound;
		this.configured = configured;
	}

	/** Whether a source disables the rule. */
	boolean disable(String id) {
		RuleProperties properties = of(id);
		return properties != null && !properties.enabled();
	}

	/** Sets the properties of the sources in a definition. */
	RuleDefinition amend(RuleDefinition definition, RuleProblems problems) {
		RuleProperties properties = of(definition.id());
		return (properties == null) ? definition
				: properties.define(definition, new RuleTexts(problems), (name) -> isSet(definition.id(), name));
	}

	/**
	 * The places of a rule: that of a source for a property that the source sets,
	 * otherwise the given one.
	 */
	RuleProblems.Source places(String id, RuleProblems.Source defined) {
		return (of(id) == null) ? defined : new AmendedPlaces(id, new PropertyPlaces(id, this.bound.places()), defined);
	}

	private @Nullable RuleProperties of(String id) {
		return this.configured.contains(id) ? null : this.bound.rules().get(id);
	}

	private boolean isSet(String id, String property) {
		return this.bound.places().origin(RuleSetReader.name(id, property)) != null;
	}

	/**
	 * The places of a rule with amendments.
	 */
	private final class AmendedPlaces implements RuleProblems.Source {

		private final String id;

		private final RuleProblems.Source amended;

		private final RuleProblems.Source defined;

		AmendedPlaces(String id, RuleProblems.Source amended, RuleProblems.Source defined) {
			this.id = id;
			this.amended = amended;
			this.defined = defined;
		}

		private RuleProblems.Source of(String property) {
			return (!property.isEmpty() && isSet(this.id, property)) ? this.amended : this.defined;
		}

		@Override
		public String location(String property) {
			return of(property).location(property);
		}

		@Override
		public @Nullable String origin(String property) {
			return of(property).origin(property);
		}

		@Override
		public @Nullable String text(String property) {
			return of(property).text(property);
		}

	}

}

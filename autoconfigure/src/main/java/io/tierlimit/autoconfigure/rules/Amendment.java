package io.tierlimit.autoconfigure.rules;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.RuleDefinition;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.core.env.Environment;

/**
 * The properties that rule sources set for one rule.
 */
final class Amendment {

	private final String id;

	/** The properties as the sources have returned them, by their plain names. */
	private final Map<String, SourceProperties.Property> written;

	private final Set<String> names;

	private final PropertyPlaces places;

	/** {@code null} if no property is known and can be converted. */
	private final @Nullable RuleProperties properties;

	/** Whether the properties were bound without a problem. */
	private final boolean valid;

	private Amendment(Builder builder, PropertyPlaces places, @Nullable RuleProperties properties, boolean valid) {
		this.id = builder.id;
		this.written = builder.properties;
		this.names = builder.names();
		this.places = places;
		this.properties = properties;
		this.valid = valid;
	}

	/** The id, as the first source writes it. */
	String id() {
		return this.id;
	}

	/** The place of the rule in the first source. */
	@Nullable String origin() {
		return this.places.first();
	}

	List<String> scope() {
		return (this.properties != null) ? this.properties.scope() : List.of();
	}

	boolean sets(String property) {
		return this.names.contains(plain(property));
	}

	boolean enable(boolean enabled) {
		return (this.properties != null && sets("enabled")) ? this.properties.enabled() : enabled;
	}

	RuleDefinition amend(RuleDefinition definition, RuleTexts texts) {
		RuleProperties.checkNotEmpty(texts, this::sets);
		return (this.properties != null) ? this.properties.define(definition, texts, this::sets) : definition;
	}

	/** The places of the rule if no other definition has it. */
	RuleProblems.Source places() {
		return this.places;
	}

	/** The places of the rule, of which the given ones are those that no source sets. */
	RuleProblems.Source places(RuleProblems.Source defined) {
		return new AmendedPlaces(defined);
	}

	/** Converts properties with the names of the configuration. */
	static BoundRules bind(Collection<SourceProperties.Property> properties, String prefix, Environment environment,
			Problems problems) {
		Map<String, Object> values = new LinkedHashMap<>();
		properties.forEach((property) -> values.put(prefix + property.name(),
				OriginTrackedValue.of(property.value(), new Place(property.place()))));
		BoundRules bound = BoundRules.bind(environment, List
			.of(ConfigurationPropertySource.from(new OriginTrackedMapPropertySource("rule source", values, true))));
		bound.failures().report(bound.places(), problems);
		return bound;
	}

	/** The name of a property without brackets and the position in a list. */
	private static String plain(String property) {
		String plain = RuleSetReader.plain(property);
		return (plain.indexOf('[') < 0) ? plain
				: plain.replaceFirst("\\[\\d+]$", "").replace(".[", ".").replace('[', '.').replace("]", "");
	}

	/**
	 * Merges the properties of several sources.
	 */
	static final class Builder {

		private final String id;

		/** By the name of the property, where dashes, underscores and case differ. */
		private final Map<String, SourceProperties.Property> properties = new LinkedHashMap<>();

		Builder(String id) {
			this.id = id;
		}

		/** Adds another property of the same source. */
		void add(SourceProperties.Property property, Problems problems) {
			SourceProperties.Property other = this.properties.putIfAbsent(RuleSetReader.plain(property.name()),
					property);
			if (!property.rule().equals(this.id)) {
				problems.add(
						"Rules '" + this.id + "' and '" + property.rule()
								+ "' are the same rule, because only dashes, underscores and case differ",
						"Merge them in", property.place());
			}
			else if (other != null) {
				problems.add(
						"Rule '" + this.id + "': " + other.name() + " and " + property.name()
								+ " are the same property, because only dashes, underscores and case differ",
						"Remove one of them from", property.place());
			}
		}

		/** Adds the properties of a source that this one overrides. */
		Builder overriding(Builder other) {
			Set<String> names = names();
			other.properties.forEach((name, property) -> {
				if (!names.contains(plain(name))) {
					this.properties.put(name, property);
				}
			});
			return this;
		}

		private Set<String> names() {
			Set<String> names = new HashSet<>();
			this.properties.keySet().forEach((name) -> names.add(plain(name)));
			return names;
		}

		/**
		 * Binds the values, and checks the names. Returns {@code before} if it is valid,
		 * and no property has changed.
		 * @param before the amendment of the last reading; {@code null} if the rule is
		 * new
		 */
		Amendment build(@Nullable Amendment before, Environment environment, Problems problems) {
			if (before != null && before.valid && before.written.equals(this.properties)) {
				return before;
			}
			int known = problems.count();
			String prefix = "tierlimit.rules" + RuleSetReader.element(this.id) + ".";
			BoundRules bound = bind(this.properties.values(), prefix, environment, problems);
			UnknownProperties.checkRules(bound.places(), problems);
			return new Amendment(this, new PropertyPlaces(PropertyPlaces.RULES, this.id, bound.places()),
					bound.rules().get(this.id), problems.count() == known);
		}

	}

	private record Place(String text) implements Origin {

		@Override
		public String toString() {
			return this.text;
		}

	}

	/**
	 * The places of a rule that sources change.
	 */
	private final class AmendedPlaces implements RuleProblems.Source {

		private final RuleProblems.Source defined;

		AmendedPlaces(RuleProblems.Source defined) {
			this.defined = defined;
		}

		private RuleProblems.Source of(String property) {
			return sets(property) ? Amendment.this.places : this.defined;
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

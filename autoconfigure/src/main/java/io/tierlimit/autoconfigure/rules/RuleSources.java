package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.tierlimit.autoconfigure.environment.Spelling;
import io.tierlimit.spi.OverrideStore;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rule sources. An answer applies until the next one, even if the source cannot
 * be read in the meantime.
 */
final class RuleSources {

	/** Stores the overrides of the management endpoint. */
	private final OverrideStore store;

	private final Reading none;

	/**
	 * Creates sources.
	 * @param sources the sources by the names of their beans, the first of which
	 * overrides all others
	 */
	RuleSources(Map<String, RuleSource> sources) {
		OverrideStore memory = new EndpointOverrides();
		this.store = sources.values()
			.stream()
			.filter(OverrideStore.class::isInstance)
			.map(OverrideStore.class::cast)
			.findFirst()
			.orElse(memory);
		List<Answer> answers = new ArrayList<>();
		if (this.store == memory) {
			answers.add(Answer.none(memory, EndpointOverrides.NAME, false));
		}
		sources.forEach((bean, source) -> answers.add(Answer.none(source, bean, true)));
		this.none = new Reading(answers);
	}

	/** The answers before any source has been read. */
	Reading none() {
		return this.none;
	}

	/** Reads all sources except for the store of overrides, which edits change. */
	Reading readOthers(Reading before) {
		return before.map((answer) -> isStore(answer) ? answer : answer.next());
	}

	/**
	 * Reads the store of overrides. The answers of the other sources were read before.
	 */
	Reading readStore(Reading before, Reading others) {
		return before.map((answer) -> isStore(answer) ? answer.next() : others.of(answer.source));
	}

	private boolean isStore(Answer answer) {
		return answer.source == this.store;
	}

	/**
	 * The id of an override as the store spells it; {@code null} if the store has
	 * returned no such override.
	 */
	@Nullable String storedId(Reading reading, String id) {
		return Spelling.known(id, reading.of(this.store).overrides().overrides().keySet());
	}

	/**
	 * The answers after an edit of the stored overrides.
	 * @param before the answers before
	 * @param id the id of an override
	 * @param edited its properties; {@code null} to remove it
	 */
	Reading edited(Reading before, String id, @Nullable Map<String, String> edited) {
		return before
			.map((answer) -> isStore(answer) ? answer.with(answer.overrides().with(id, edited, this.store)) : answer);
	}

	/**
	 * Stores an override.
	 * @param id the id of the override
	 * @param properties its properties; {@code null} to remove it
	 * @throws Exception if the store does not accept it, or fails
	 */
	void store(String id, @Nullable Map<String, String> properties) throws Exception {
		if (properties != null) {
			this.store.setOverride(id, properties);
		}
		else {
			this.store.removeOverride(id);
		}
	}

	/**
	 * The last answers of all sources.
	 *
	 * @param answers the answers of the sources, the first of which overrides all others
	 */
	record Reading(List<Answer> answers) {

		private Reading map(UnaryOperator<Answer> change) {
			return new Reading(this.answers.stream().map(change).toList());
		}

		private Answer of(RuleSource source) {
			return this.answers.stream().filter((answer) -> answer.source == source).findFirst().orElseThrow();
		}

		/** Returns the rules of these answers, with the overrides of later answers. */
		Reading withOverridesOf(Reading later) {
			return map((answer) -> answer.missing ? answer : answer.with(later.of(answer.source).overrides()));
		}

		List<SourceOverrides> overrides() {
			return this.answers.stream().map(Answer::overrides).toList();
		}

		/** The sources that cannot be read. */
		List<Failure> failures() {
			return this.answers.stream().map(Answer::failure).filter(Objects::nonNull).toList();
		}

		/** Whether rules may be missing, because a source was never read. */
		boolean incomplete() {
			return this.answers.stream().anyMatch(Answer::missing);
		}

	}

	/**
	 * The last answer of a source: a copy of what it has returned.
	 *
	 * @param source the source
	 * @param properties the properties of all rules
	 * @param overrides the properties of all overrides, with later edits
	 * @param missing whether it was never read
	 * @param failure why it cannot be read now; {@code null} if it was read
	 */
	record Answer(RuleSource source, List<Property> properties, SourceOverrides overrides, boolean missing,
			@Nullable Failure failure) {

		/** The answer of a source without rules and overrides. */
		private static Answer none(RuleSource source, String bean, boolean missing) {
			return new Answer(source, List.of(), SourceOverrides.none(bean), missing, null);
		}

		/** Reads the source again. */
		Answer next() {
			String bean = this.overrides.bean();
			try {
				return new Answer(this.source, readProperties(bean), SourceOverrides.read(bean, this.source), false,
						null);
			}
			catch (Exception ex) {
				return new Answer(this.source, this.properties, this.overrides, this.missing, new Failure(bean, ex));
			}
		}

		private List<Property> readProperties(String bean) throws Exception {
			List<Property> read = new ArrayList<>();
			SourceOverrides.copy("rule", this.source.read()).forEach((id, values) -> values.forEach((name, value) -> {
				String place = Objects.requireNonNullElse(this.source.placeOf(id, name), "bean '" + bean + "'");
				read.add(new Property(id, name, value, place));
			}));
			return List.copyOf(read);
		}

		Answer with(SourceOverrides others) {
			return new Answer(this.source, this.properties, others, this.missing, null);
		}

	}

	/**
	 * A property of a rule.
	 *
	 * @param rule the id of the rule
	 * @param name the name of the property
	 * @param value its value
	 * @param place the place where operators find the property
	 */
	record Property(String rule, String name, String value, String place) {

	}

	/**
	 * A source that cannot be read.
	 *
	 * @param bean the name of the source's bean
	 * @param cause why
	 */
	record Failure(String bean, Exception cause) {

		/**
		 * The failure without the message of its cause, which may contain names of hosts
		 * and accounts.
		 */
		String withoutMessage() {
			return "The rule source '" + this.bean + "' cannot be read (" + this.cause.getClass().getSimpleName()
					+ "). The log has the cause.";
		}

		/** The failure with the message of its cause, for the log. */
		String withMessage() {
			return "The rule source '" + this.bean + "' cannot be read: " + this.cause + ".";
		}

	}

}

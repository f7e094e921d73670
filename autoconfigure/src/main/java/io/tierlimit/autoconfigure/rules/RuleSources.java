package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.spi.RuleSource;

/**
 * Reads the rule sources. What a source has returned is kept once it is in force, for the
 * time in which the source cannot be read.
 */
final class RuleSources {

	private final Map<String, RuleSource> sources;

	private Map<String, SourceProperties> kept = Map.of();

	/**
	 * Creates sources.
	 * @param sources the sources by the names of their beans, the first of which
	 * overrides all others
	 */
	RuleSources(Map<String, RuleSource> sources) {
		this.sources = new LinkedHashMap<>(sources);
	}

	/** Reads all sources. */
	Reading read() {
		Map<String, SourceProperties> read = new LinkedHashMap<>();
		List<Failure> failures = new ArrayList<>();
		this.sources.forEach((bean, source) -> {
			try {
				read.put(bean, SourceProperties.read(bean, source));
			}
			catch (Exception ex) {
				failures.add(new Failure(bean, ex));
				SourceProperties before = this.kept.get(bean);
				if (before != null) {
					read.put(bean, before);
				}
			}
		});
		return new Reading(read, failures, read.size() < this.sources.size());
	}

	/** What is read if no source is read. */
	Reading none() {
		return new Reading(Map.of(), List.of(), !this.sources.isEmpty());
	}

	/** Keeps what was read, because its rules are in force. */
	void keep(Reading reading) {
		this.kept = reading.bySource;
	}

	/**
	 * What all sources have returned.
	 *
	 * @param bySource the properties by the name of the source, the first of which
	 * overrides all others
	 * @param failures the sources that cannot be read
	 * @param incomplete whether a source was never read, so that rules may be missing
	 */
	record Reading(Map<String, SourceProperties> bySource, List<Failure> failures, boolean incomplete) {

		/** There are no sources. */
		static final Reading NONE = new Reading(Map.of(), List.of(), false);

		List<SourceProperties> sources() {
			return List.copyOf(this.bySource.values());
		}

	}

	/**
	 * A source that cannot be read.
	 *
	 * @param bean the name of the source's bean
	 * @param cause why
	 */
	record Failure(String bean, Exception cause) {

		/** The failure for everyone: a message may have names of hosts and accounts. */
		String withoutMessage() {
			return "The rule source '" + this.bean + "' cannot be read (" + this.cause.getClass().getSimpleName()
					+ "). The log has the cause.";
		}

		/** The failure for the log. */
		String withMessage() {
			return "The rule source '" + this.bean + "' cannot be read: " + this.cause + ".";
		}

	}

}

package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.spi.OverrideStore;
import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rule sources. What a source has returned is kept once it is in force, for the
 * time in which the source cannot be read.
 */
final class RuleSources {

	private final Map<String, RuleSource> sources = new LinkedHashMap<>();

	/** The name of the source that stores the overrides of the management endpoint. */
	private final String storeName;

	private final OverrideStore store;

	/** Whether the application has no rule source. */
	private final boolean none;

	private Map<String, SourceProperties> kept = Map.of();

	/**
	 * Creates sources.
	 * @param sources the sources by the names of their beans, the first of which
	 * overrides all others
	 */
	RuleSources(Map<String, RuleSource> sources) {
		String name = EndpointOverrides.NAME;
		OverrideStore found = null;
		for (Map.Entry<String, RuleSource> source : sources.entrySet()) {
			if (found == null && source.getValue() instanceof OverrideStore bean) {
				name = source.getKey();
				found = bean;
			}
		}
		this.none = sources.isEmpty();
		this.storeName = name;
		if (found != null) {
			this.store = found;
		}
		else {
			this.store = new EndpointOverrides();
			this.sources.put(name, this.store);
		}
		this.sources.putAll(sources);
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
		return new Reading(Map.of(), List.of(), !this.none);
	}

	/** Whether the application has no rule source. */
	boolean areNone() {
		return this.none;
	}

	/** Stores the overrides of the management endpoint. */
	OverrideStore store() {
		return this.store;
	}

	/**
	 * The id of an override as the store spells it; {@code null} if it had no such
	 * override when it was read last.
	 */
	@Nullable String storedId(String id) {
		SourceProperties stored = this.kept.get(this.storeName);
		return (stored == null) ? null
				: stored.overrides()
					.overrides()
					.keySet()
					.stream()
					.filter((known) -> RuleSetReader.plain(known).equals(RuleSetReader.plain(id)))
					.findFirst()
					.orElse(null);
	}

	/**
	 * What is in force, after an edit of the stored overrides.
	 * @param id the id of an override
	 * @param properties its properties; {@code null} to remove it
	 */
	Reading edited(String id, @Nullable Map<String, String> properties) {
		Map<String, SourceProperties> edited = new LinkedHashMap<>();
		boolean incomplete = false;
		for (String bean : this.sources.keySet()) {
			SourceProperties known = this.kept.get(bean);
			incomplete |= known == null;
			if (bean.equals(this.storeName)) {
				SourceProperties stored = (known != null) ? known : SourceProperties.none(bean);
				edited.put(bean, stored.withOverride(id, properties, this.store));
			}
			else if (known != null) {
				edited.put(bean, known);
			}
		}
		return new Reading(edited, List.of(), incomplete);
	}

	/** The rules in force, with the overrides that their sources have returned now. */
	Reading withOverridesOf(Reading reading) {
		Map<String, SourceProperties> mixed = new LinkedHashMap<>();
		reading.bySource.forEach((bean, read) -> {
			SourceProperties known = this.kept.get(bean);
			if (known != null) {
				mixed.put(bean, known.with(read.overrides()));
			}
		});
		return new Reading(mixed, List.of(), mixed.size() < this.sources.size());
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

		List<SourceOverrides> overrides() {
			return this.bySource.values().stream().map(SourceProperties::overrides).toList();
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

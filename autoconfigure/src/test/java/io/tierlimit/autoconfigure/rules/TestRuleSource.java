package io.tierlimit.autoconfigure.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import io.tierlimit.spi.RuleSource;
import org.jspecify.annotations.Nullable;

/**
 * A rule source that a test changes.
 */
class TestRuleSource implements RuleSource {

	private final String name;

	private final Map<String, Map<String, String>> rules = new TreeMap<>();

	final Map<String, Map<String, String>> overrides = new LinkedHashMap<>();

	private @Nullable Exception failure;

	private @Nullable RuntimeException failureOfPlaces;

	private Action beforeRead = () -> {
	};

	TestRuleSource(String name) {
		this.name = name;
	}

	TestRuleSource set(String rule, String property, String value) {
		this.rules.computeIfAbsent(rule, (id) -> new TreeMap<>()).put(property, value);
		return this;
	}

	TestRuleSource override(String id, Map<String, String> properties) {
		this.overrides.put(id, properties);
		return this;
	}

	@Override
	public Map<String, Map<String, String>> readOverrides() throws Exception {
		return new LinkedHashMap<>(this.overrides);
	}

	void remove(String rule) {
		this.rules.remove(rule);
	}

	void failWith(@Nullable Exception failure) {
		this.failure = failure;
	}

	void failPlacesWith(RuntimeException failure) {
		this.failureOfPlaces = failure;
	}

	/** Runs an action before each read. */
	void beforeRead(Action action) {
		this.beforeRead = action;
	}

	@Override
	public Map<String, Map<String, String>> read() throws Exception {
		this.beforeRead.run();
		if (this.failure != null) {
			throw this.failure;
		}
		Map<String, Map<String, String>> copy = new TreeMap<>();
		this.rules.forEach((id, rule) -> copy.put(id, Map.copyOf(rule)));
		return copy;
	}

	@Override
	public String placeOf(String rule, String property) {
		if (this.failureOfPlaces != null) {
			throw this.failureOfPlaces;
		}
		return this.name + ", row '" + rule + "'";
	}

	interface Action {

		void run() throws Exception;

	}

}

package io.tierlimit.autoconfigure.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.spi.RuleSource;

/**
 * Reads the rule sources. What a source has returned last is kept while it cannot be
 * read.
 */
final class RuleSources {

	private final Map<String, RuleSource> sources;

	private final Map<String, SourceProperties> read = new LinkedHashMap<>();

	/**
	 * Creates sources.
	 * @param sources the sources by the names of their beans, the first of which
	 * overrides all others
	 */
	RuleSources(Map<String, RuleSource> sources) {
		this.sources = new LinkedHashMap<>(sources);
	}

	/** Reads all sources. Returns a sentence for each source that cannot be read. */
	List<String> readAll() {
		List<String> failures = new ArrayList<>();
		this.sources.forEach((bean, source) -> {
			try {
				this.read.put(bean, new SourceProperties("bean '" + bean + "'", source, source.read()));
			}
			catch (Exception ex) {
				failures.add("The rule source '" + bean + "' cannot be read: " + ex
						+ ". What was read before remains in force until it can.");
			}
		});
		return failures;
	}

	/** What the sources have returned last. */
	List<SourceProperties> last() {
		List<SourceProperties> last = new ArrayList<>();
		for (String bean : this.sources.keySet()) {
			SourceProperties properties = this.read.get(bean);
			if (properties != null) {
				last.add(properties);
			}
		}
		return last;
	}

}

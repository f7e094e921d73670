package io.tierlimit.standalone;

import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.EvaluatingRateLimiter;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleCompiler;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.Sleeper;
import io.tierlimit.evaluation.VerdictPublisher;
import io.tierlimit.evaluation.WaitQueue;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.BeanNames;
import io.tierlimit.option.OptionReader;
import io.tierlimit.option.RuleReader;
import io.tierlimit.option.adaptive.AdaptiveReader;
import io.tierlimit.option.standard.StandardOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.rule.reader.TextSource;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.shard.ShardedBuckets;
import org.jspecify.annotations.Nullable;

/**
 * Creates the limiter of a program without Spring Boot. Rules are read in the same way as
 * {@code RuleDefinition} beans, and permit requests are evaluated in the same way.
 */
public final class StandaloneRateLimiter {

	private static final int MAX_WAITING = 100;

	private static final OnceLogger warnings = new OnceLogger(StandaloneRateLimiter.class);

	/**
	 * All readers except the reader of adaptive rates, because these require a background
	 * task.
	 */
	private static final List<OptionReader> READERS = StandardOptions.readers(false)
		.stream()
		.filter((reader) -> !(reader instanceof AdaptiveReader))
		.toList();

	private static final List<String> PROPERTIES = RuleReader.properties(READERS);

	private StandaloneRateLimiter() {
	}

	/**
	 * Creates a limiter.
	 * @param store the store of the buckets
	 * @param definitions the rules
	 * @return the limiter
	 * @throws io.tierlimit.rule.InvalidRulesException if a rule is not valid
	 */
	public static RateLimiter of(BucketStore store, List<RuleDefinition> definitions) {
		RuleCompiler compiler = new RuleCompiler(Map.of(), new KeyHash(KeyHashing.SENSITIVE, null),
				StandardOptions.of(InstantSource.system(), Map.of(), Ticker.system()));
		return new EvaluatingRateLimiter(new ActiveRules(compiler, read(definitions, store)),
				new RateLimitEvaluator(new ShardedBuckets(store, Ticker.system()), VerdictPublisher.NONE,
						new WaitQueue(MAX_WAITING, Sleeper.system())),
				() -> null);
	}

	private static RuleSet read(List<RuleDefinition> definitions, BucketStore store) {
		BeanNames beans = new BeanNames(List.of(), (type) -> List.of(),
				(algorithm) -> store.supports(algorithm) ? null : store.name());
		Problems problems = new Problems();
		Set<String> ids = new HashSet<>();
		List<Rule> rules = definitions.stream()
			.map((definition) -> read(definition, beans, ids, problems))
			.filter(Objects::nonNull)
			.toList();
		READERS.forEach((reader) -> reader.check(rules, problems));
		problems.report();
		problems.warnings().forEach((warning) -> warnings.warn(warning, warning, null));
		Set<String> disabled = definitions.stream()
			.map(RuleDefinition::id)
			.collect(Collectors.toCollection(HashSet::new));
		rules.forEach((rule) -> disabled.remove(rule.id()));
		return new RuleSet(rules, Map.of(), disabled, List.of(), RuleMode.ENFORCE);
	}

	private static @Nullable Rule read(RuleDefinition definition, BeanNames beans, Set<String> ids, Problems problems) {
		String id = definition.id();
		TextSource source = (property) -> (property.isEmpty() ? "" : property + " of ") + "rule '" + id + "'";
		PropertyTexts texts = new PropertyTexts(source, PropertyText.of(definition.properties(), source, false));
		RuleProblems ofRule = new RuleProblems("Rule '" + id + "'", texts, problems);
		if (!ids.add(PropertyText.plain(id))) {
			ofRule.add("another rule has the same id", "Set another id in", "");
		}
		for (PropertyText text : texts.written()) {
			if (!text.isOneOf(PROPERTIES)) {
				ofRule.add("'" + text.name() + "' is not a property of rules without Spring Boot", "Correct or remove",
						text.name());
			}
		}
		PropertyReader reader = new PropertyReader(texts, ofRule);
		return reader.valueOr("enabled", true)
				? new RuleReader(id, reader, Map.of(), beans, (path) -> null).read(READERS) : null;
	}

}

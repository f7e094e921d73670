package io.tierlimit.autoconfigure.rules;

import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.RateLimited;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.option.CostReader;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.rule.reader.TextSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.PropertyResolver;

/**
 * Reads the rules that annotations name or define. Problems are collected.
 */
final class AnnotationReader {

	private static final Log logger = LogFactory.getLog(AnnotationReader.class);

	private static final String MAX_WAIT = "max-wait";

	/** An annotation with one of these properties is meant to define a rule. */
	private static final List<String> DEFINING = List.of("rate", "limit", "algorithm");

	private final Set<RateLimitedOperation> uses = new HashSet<>();

	private final Map<String, RateLimitedOperation> definitions = new LinkedHashMap<>();

	private final Map<Reference, RateLimitedOperation> references = new HashMap<>();

	private final Map<String, String> definers;

	private final boolean incomplete;

	private final RuleSetReader reader;

	private final PropertyResolver placeholders;

	/**
	 * Creates a reader.
	 * @param definers descriptions of what defines each rule outside of annotations, by
	 * the id of the rule, including rules that are disabled or not valid
	 * @param incomplete whether rules may be missing because a rule source was not read
	 * @param reader reads rules
	 * @param placeholders resolves placeholders
	 */
	AnnotationReader(Map<String, String> definers, boolean incomplete, RuleSetReader reader,
			PropertyResolver placeholders) {
		this.definers = new LinkedHashMap<>(definers);
		this.incomplete = incomplete;
		this.reader = reader;
		this.placeholders = placeholders;
	}

	/** Reads an annotation, and logs its warnings when it is read for the first time. */
	synchronized @Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules) {
		Problems problems = new Problems();
		boolean first = this.uses.add(use);
		Rule rule = read(use, rules, problems);
		problems.report();
		if (first) {
			problems.warnings().forEach(logger::warn);
		}
		return rule;
	}

	synchronized @Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules,
			Problems problems) {
		this.uses.add(use);
		PropertyTexts texts = new PropertyTexts(new AnnotationSource("the annotation", ""), List.of());
		RuleProblems here = new RuleProblems(use.toString(), texts, problems);
		return here.attempt("", () -> use.namesRule() ? readReference(use, rules, problems)
				: readDefinition(use, rules, here, problems));
	}

	/** The ids of the rules that annotations define. */
	static Set<String> idsOf(Collection<RateLimitedOperation> uses, PropertyResolver placeholders) {
		return uses.stream()
			.filter((use) -> !use.namesRule())
			.map((use) -> idOf(use, placeholders))
			.collect(Collectors.toSet());
	}

	/**
	 * Returns the annotation that defines a rule; {@code null} if the rule is defined
	 * elsewhere.
	 */
	synchronized @Nullable RateLimitedOperation definitionOf(String rule) {
		return this.definitions.get(rule);
	}

	/** Returns the bean that defines a rule; {@code null} if there is none. */
	@Nullable String beanOf(String rule) {
		return this.reader.beanOf(rule);
	}

	private @Nullable Rule readReference(RateLimitedOperation use, Function<String, @Nullable Rule> rules,
			Problems all) {
		RateLimited annotation = use.annotation();
		String id = text(annotation.value());
		PropertyTexts texts = texts(use, new AnnotationSource("the annotation", ""));
		RuleProblems problems = new RuleProblems(use.toString(), texts, all);
		if (definesRule(annotation)) {
			problems.add("an annotation that names a rule ('" + id + "') can set key, cost and maxWait only",
					"Remove all other attributes from", "");
			return null;
		}
		if (!this.definers.containsKey(id)) {
			if (!this.incomplete) {
				problems.add("rule '" + id + "' does not exist. The rules are " + this.definers.keySet(),
						"Correct {}, or define the rule below tierlimit.rules", "");
			}
			return null;
		}
		RateLimitedOperation other = this.references.putIfAbsent(new Reference(use.element(), id), use);
		if (other != null && !other.equals(use)) {
			problems.add("another annotation in the same place also names rule '" + id + "'",
					"Remove one of them, or set a rate instead of the rule in", "");
			return null;
		}
		Rule rule = rules.apply(id);
		return (rule != null) ? variant(rule, use, new PropertyReader(texts, problems)) : null;
	}

	private Rule variant(Rule rule, RateLimitedOperation use, PropertyReader own) {
		String key = own.text("key");
		String cost = own.text("cost");
		Map<String, Class<?>> arguments = use.argumentTypes();
		if (key != null) {
			own.problems().attempt("key", () -> CallerExpression.parse(key, ExpressionUse.KEY, arguments));
		}
		RuleOptions options = this.reader.readOptions(rule, own);
		if (cost != null) {
			new CostReader(own.problems(), arguments).check(cost, rule.limits(), options.overdraft());
		}
		Scope scope = (key == null) ? rule.scope() : new Scope(rule.scope().names(), key, rule.scope().onMissingKey());
		return rule.scope(scope).cost((cost == null) ? rule.cost() : cost).options((before) -> options);
	}

	private @Nullable Rule readDefinition(RateLimitedOperation use, Function<String, @Nullable Rule> rules,
			RuleProblems here, Problems problems) {
		PropertyTexts texts = texts(use, new AnnotationSource(use.toString(), "the name in "));
		if (DEFINING.stream().allMatch((name) -> texts.find(name) == null) && texts.keys("plans").isEmpty()) {
			here.add("a rule or a rate is required",
					"Name one of the rules " + this.definers.keySet() + ", or set a rate such as 10/s, in", "");
			return null;
		}
		String id = id(use, text(use.annotation().name()));
		String definer = this.definers.get(id);
		RateLimitedOperation other = (definer != null) ? null : this.definitions.putIfAbsent(id, use);
		if (definer != null || (other != null && !other.equals(use))) {
			here.add("rule '" + id + "' is also defined by " + ((other != null) ? other : definer),
					"To share a bucket, name a rule of the configuration in both places. Otherwise set another name in",
					"");
			return null;
		}
		Rule known = rules.apply(id);
		if (known != null) {
			return known;
		}
		this.reader.checkNames(id, texts, problems);
		return this.reader.read(id, texts, use.argumentTypes(), problems);
	}

	private static String id(RateLimitedOperation use, String name) {
		return name.isEmpty() ? use.standardId() : name;
	}

	String idOf(RateLimitedOperation use) {
		return idOf(use, this.placeholders);
	}

	private static String idOf(RateLimitedOperation use, PropertyResolver placeholders) {
		String name = use.namesRule() ? use.annotation().value() : use.annotation().name();
		return id(use, placeholders.resolvePlaceholders(name).strip());
	}

	/**
	 * The properties and the other attributes of an annotation, as the properties of a
	 * rule for code.
	 * @throws IllegalArgumentException if a property is set twice, or has no value
	 */
	private PropertyTexts texts(RateLimitedOperation use, AnnotationSource source) {
		RateLimited annotation = use.annotation();
		Map<String, PropertyText> texts = new LinkedHashMap<>();
		add(texts, PropertyText.of("applies-to", "code", source));
		for (String line : annotation.properties()) {
			String[] parts = text(line).split("=", 2);
			if (parts.length < 2) {
				throw new IllegalArgumentException("properties must have a name and a value, such as "
						+ "algorithm=sliding-window (was '" + line + "')");
			}
			add(texts, PropertyText.of(parts[0].strip(), parts[1].strip(), source));
		}
		Stream
			.of(Map.entry("condition", annotation.condition()), Map.entry("key", annotation.key()),
					Map.entry("cost", annotation.cost()), Map.entry("rate", annotation.rate()),
					Map.entry("burst", annotation.burst()), Map.entry(MAX_WAIT, annotation.maxWait()))
			.map((attribute) -> PropertyText.of(attribute.getKey(), text(attribute.getValue()), source))
			.filter((attribute) -> !attribute.texts().contains(""))
			.forEach((attribute) -> add(texts, attribute));
		List<String> scope = Arrays.stream(annotation.scope())
			.map(this::text)
			.filter((name) -> !name.isEmpty())
			.toList();
		if (!scope.isEmpty()) {
			add(texts, PropertyText.list("scope", scope, source));
		}
		return new PropertyTexts(source, texts.values());
	}

	private static void add(Map<String, PropertyText> texts, PropertyText text) {
		if (texts.putIfAbsent(PropertyText.canonical(text.name()), text) != null) {
			throw new IllegalArgumentException(text.name() + " is set twice");
		}
	}

	/**
	 * Whether an annotation has an attribute that belongs to the definition of a rule.
	 */
	private static boolean definesRule(RateLimited annotation) {
		return annotation.scope().length > 0 || annotation.properties().length > 0
				|| Stream.of(annotation.name(), annotation.rate(), annotation.burst(), annotation.condition())
					.anyMatch((text) -> !text.isEmpty());
	}

	/** Resolves the placeholders of a string. */
	private String text(String text) {
		return this.placeholders.resolveRequiredPlaceholders(text).strip();
	}

	private record Reference(AnnotatedElement element, String rule) {

	}

	/**
	 * The location of a rule in an annotation.
	 *
	 * @param name the name of the annotation in the remedy of a problem
	 * @param whole the prefix of that name if the problem concerns the whole rule
	 */
	private record AnnotationSource(String name, String whole) implements TextSource {

		@Override
		public String location(String property) {
			if (property.isEmpty()) {
				return this.whole + this.name;
			}
			String attribute = property.replaceFirst("\\[.*", "");
			return (attribute.equals(MAX_WAIT) ? "maxWait" : attribute) + " in " + this.name;
		}

	}

}

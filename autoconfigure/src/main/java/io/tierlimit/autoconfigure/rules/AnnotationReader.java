package io.tierlimit.autoconfigure.rules;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.RateLimited;
import io.tierlimit.RuleDefinition;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.method.RateLimitedReader;
import io.tierlimit.rule.ReservationOptions;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.env.PropertyResolver;

/**
 * Reads the rules that annotations name or define. Problems are collected.
 */
final class AnnotationReader implements RateLimitedReader {

	private static final Log logger = LogFactory.getLog(AnnotationReader.class);

	private static final String MAX_WAIT = "max-wait";

	private final Set<RateLimitedOperation> uses = new HashSet<>();

	private final Map<String, RateLimitedOperation> definitions = new LinkedHashMap<>();

	private final Map<Reference, RateLimitedOperation> references = new HashMap<>();

	private final Map<String, String> definers;

	private final boolean incomplete;

	private final BeanNames beans;

	private final Amendments amendments;

	private final PropertyResolver placeholders;

	/**
	 * Creates a reader.
	 * @param definers what defines each rule that no annotation defines, even if the rule
	 * is disabled or not valid; by its id
	 * @param incomplete whether rules may be missing because a rule source was not read
	 * @param beans the beans that rules can refer to
	 * @param amendments the properties that rule sources set
	 * @param placeholders resolves placeholders
	 */
	AnnotationReader(Map<String, String> definers, boolean incomplete, BeanNames beans, Amendments amendments,
			PropertyResolver placeholders) {
		this.definers = new LinkedHashMap<>(definers);
		this.incomplete = incomplete;
		this.beans = beans;
		this.amendments = amendments;
		this.placeholders = placeholders;
	}

	/** Reads an annotation, and logs its warnings when it is read first. */
	@Override
	public synchronized @Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules) {
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
		RuleProblems here = new RuleProblems(use.toString(),
				new AnnotationSource(use, "the annotation", "", this.placeholders), problems);
		return here.attempt("",
				() -> use.namesRule() ? readReference(use, rules, here) : readDefinition(use, rules, here, problems));
	}

	/** The ids of the rules that annotations define. */
	static Set<String> idsOf(Collection<RateLimitedOperation> uses, PropertyResolver placeholders) {
		Set<String> ids = new HashSet<>();
		for (RateLimitedOperation use : uses) {
			if (!use.namesRule()) {
				ids.add(idOf(use, placeholders));
			}
		}
		return ids;
	}

	/**
	 * Returns the annotation that defines a rule; {@code null} if the rule is defined
	 * elsewhere.
	 */
	synchronized @Nullable RateLimitedOperation definitionOf(String rule) {
		return this.definitions.get(rule);
	}

	private @Nullable Rule readReference(RateLimitedOperation use, Function<String, @Nullable Rule> rules,
			RuleProblems problems) {
		RateLimited annotation = use.annotation();
		String id = text(annotation.value());
		if (definesRule(annotation)) {
			problems.add("an annotation that names a rule ('" + id + "') can set key, cost and maxWait only",
					"Remove all other attributes from", "");
			return null;
		}
		if (!this.definers.containsKey(id)) {
			if (!this.incomplete) {
				problems.add("rule '" + id + "' does not exist. The rules are " + ids(),
						"Correct {}, or define the rule below tierlimit.rules", "");
			}
			return null;
		}
		RateLimitedOperation other = this.references.putIfAbsent(new Reference(use.element(), id), use);
		if (other != null && !other.equals(use)) {
			problems.add("another annotation in the same place names rule '" + id + "', too",
					"Remove one of them, or set a rate instead of the rule in", "");
			return null;
		}
		Rule rule = rules.apply(id);
		return (rule != null) ? variant(rule, use, problems) : null;
	}

	private Rule variant(Rule rule, RateLimitedOperation use, RuleProblems problems) {
		String key = text(use.annotation().key());
		String cost = text(use.annotation().cost());
		Map<String, ResolvableType> arguments = arguments(use);
		if (!key.isEmpty()) {
			problems.expression("key", () -> CallerExpression.parse(key, arguments.keySet()), arguments);
		}
		ReservationOptions reservations = reservations(rule, text(use.annotation().maxWait()), problems);
		if (!cost.isEmpty()) {
			new CostReader(problems, arguments).check(cost, rule.limits(), reservations);
		}
		Scope scope = key.isEmpty() ? rule.scope() : new Scope(rule.scope().names(), key, rule.scope().anonymous());
		return rule.scope(scope)
			.cost(cost.isEmpty() ? rule.cost() : cost)
			.options((options) -> options.reservations(reservations));
	}

	/** Returns the types of a method's arguments by name. */
	private static Map<String, ResolvableType> arguments(RateLimitedOperation use) {
		Map<String, ResolvableType> types = new LinkedHashMap<>();
		if (use.element() instanceof Method method) {
			use.arguments()
				.forEach((name, position) -> types.put(name, ResolvableType.forMethodParameter(method, position)));
		}
		return types;
	}

	private static ReservationOptions reservations(Rule rule, String maxWait, RuleProblems problems) {
		if (maxWait.isEmpty()) {
			return rule.reservations();
		}
		Duration time = new RuleTexts(problems).time(MAX_WAIT, maxWait);
		if (time == null) {
			return rule.reservations();
		}
		ReservationOptions own = new ReservationReader(problems).read(0, time, rule.limits());
		return new ReservationOptions(rule.reservations().maxReserved(), own.maxWait());
	}

	private @Nullable Rule readDefinition(RateLimitedOperation use, Function<String, @Nullable Rule> rules,
			RuleProblems here, Problems problems) {
		RateLimited annotation = use.annotation();
		if (annotation.rate().isEmpty()) {
			here.add("a rule or a rate is required",
					"Name one of the rules " + ids() + ", or set a rate such as 10/s, in", "");
			return null;
		}
		String id = id(use);
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
		RuleProblems own = new RuleProblems("Rule '" + id + "'", this.amendments.places(id,
				new AnnotationSource(use, use.toString(), "the name in ", this.placeholders)), problems);
		RuleDefinition definition = this.amendments
			.amend(definition(RuleDefinition.of(id), annotation, new RuleTexts(own)), own);
		Rule rule = new RuleReader(this.beans, arguments(use), own).read(definition);
		return this.amendments.enable(id, true) ? rule : null;
	}

	private Set<String> ids() {
		return this.definers.keySet();
	}

	private String id(RateLimitedOperation use) {
		return id(use, text(use.annotation().name()));
	}

	private static String id(RateLimitedOperation use, String name) {
		return name.isEmpty() ? use.standardId() : name;
	}

	@Override
	public String idOf(RateLimitedOperation use) {
		return idOf(use, this.placeholders);
	}

	private static String idOf(RateLimitedOperation use, PropertyResolver placeholders) {
		String name = use.namesRule() ? use.annotation().value() : use.annotation().name();
		return id(use, placeholders.resolvePlaceholders(name).strip());
	}

	private RuleDefinition definition(RuleDefinition rule, RateLimited annotation, RuleTexts texts) {
		RuleDefinition definition = rule.appliesTo(AppliesTo.METHODS)
			.scope(Arrays.stream(annotation.scope())
				.map(this::text)
				.filter((name) -> !name.isEmpty())
				.toArray(String[]::new))
			.condition(text(annotation.condition()))
			.key(text(annotation.key()))
			.cost(text(annotation.cost()))
			.limit((limit) -> texts.limit(limit, "", text(annotation.rate()), text(annotation.burst()), null));
		String maxWait = text(annotation.maxWait());
		Duration time = maxWait.isEmpty() ? null : texts.time(MAX_WAIT, maxWait);
		return (time != null) ? definition.maxWait(time) : definition;
	}

	/**
	 * Whether an annotation has an attribute that belongs to the definition of a rule.
	 */
	private static boolean definesRule(RateLimited annotation) {
		return annotation.scope().length > 0
				|| Stream.of(annotation.name(), annotation.rate(), annotation.burst(), annotation.condition())
					.anyMatch((text) -> !text.isEmpty());
	}

	/** Resolves the placeholders of a text. */
	private String text(String text) {
		return this.placeholders.resolveRequiredPlaceholders(text).strip();
	}

	private record Reference(AnnotatedElement element, String rule) {

	}

	/**
	 * The location of a rule in an annotation.
	 *
	 * @param use the annotation
	 * @param name the name of the annotation in the remedy of a problem
	 * @param whole the prefix of that name if the problem concerns the whole rule
	 * @param placeholders resolves placeholders
	 */
	private record AnnotationSource(RateLimitedOperation use, String name, String whole,
			PropertyResolver placeholders) implements RuleProblems.Source {

		@Override
		public String location(String property) {
			if (property.isEmpty()) {
				return this.whole + this.name;
			}
			String attribute = property.replaceFirst("\\[.*", "");
			return (attribute.equals(MAX_WAIT) ? "maxWait" : attribute) + " in " + this.name;
		}

		@Override
		public @Nullable String text(String property) {
			RateLimited annotation = this.use.annotation();
			String text = switch (property) {
				case "rate" -> annotation.rate();
				case "burst" -> annotation.burst();
				case MAX_WAIT -> annotation.maxWait();
				default -> "";
			};
			return text.isEmpty() ? null : this.placeholders.resolvePlaceholders(text);
		}

	}

}

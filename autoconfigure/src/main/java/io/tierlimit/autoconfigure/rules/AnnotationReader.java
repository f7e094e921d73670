package io.tierlimit.autoconfigure.rules;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.tierlimit.RateLimited;
import io.tierlimit.autoconfigure.properties.RuleProperties;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.method.RateLimitedOperation;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Reservations;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.env.PropertyResolver;

/**
 * Reads the rules that annotations name or write, each once, and notes all that is wrong
 * with them.
 */
final class AnnotationReader {

	private static final Log logger = LogFactory.getLog(AnnotationReader.class);

	private final Map<RateLimitedOperation, Optional<Rule>> read = new HashMap<>();

	private final Map<String, RateLimitedOperation> written = new LinkedHashMap<>();

	private final Map<Naming, RateLimitedOperation> named = new HashMap<>();

	private final RuleSet rules;

	private final Set<String> ids;

	private final Collection<String> keyResolvers;

	private final AnnotationTexts texts;

	/**
	 * Creates a reader.
	 * @param rules the rules of the configuration that are in force
	 * @param ids the ids of all rules of the configuration, those that are switched off
	 * or wrong among them
	 * @param keyResolvers the scopes that there are beside the built-in ones
	 * @param placeholders resolves placeholders
	 */
	AnnotationReader(RuleSet rules, Set<String> ids, Collection<String> keyResolvers, PropertyResolver placeholders) {
		this.rules = rules;
		this.ids = ids;
		this.keyResolvers = keyResolvers;
		this.texts = new AnnotationTexts(placeholders);
	}

	synchronized @Nullable Rule read(RateLimitedOperation use) {
		Problems problems = new Problems();
		Rule rule = read(use, problems);
		problems.report();
		problems.warnings().forEach(logger::warn);
		return rule;
	}

	synchronized @Nullable Rule read(RateLimitedOperation use, Problems problems) {
		Optional<Rule> known = this.read.get(use);
		if (known == null) {
			int before = problems.count();
			known = Optional.ofNullable(readFirst(use, problems));
			if (problems.count() == before) {
				this.read.put(use, known);
			}
		}
		return known.orElse(null);
	}

	/** The annotation that writes a rule; {@code null} if none does. */
	synchronized @Nullable RateLimitedOperation writtenIn(String rule) {
		return this.written.get(rule);
	}

	private @Nullable Rule readFirst(RateLimitedOperation use, Problems problems) {
		RateLimited annotation = use.annotation();
		UnaryOperator<String> places = (property) -> property.isEmpty() ? "it"
				: AnnotationTexts.attribute(annotation, property) + " in it";
		RuleProblems here = new RuleProblems(use.toString(), places, problems);
		return here.attempt("", () -> annotation.value().isEmpty() ? written(use, here, problems) : named(use, here));
	}

	private @Nullable Rule named(RateLimitedOperation use, RuleProblems problems) {
		RateLimited annotation = use.annotation();
		String id = this.texts.text(annotation.value());
		if (AnnotationTexts.writesRule(annotation)) {
			problems.add("names rule '" + id + "' and writes one of its own",
					"Leave no more than key, cost and maxWait beside", "");
			return null;
		}
		if (!this.ids.contains(id)) {
			problems.add("names rule '" + id + "', but known are " + this.ids,
					"Write that rule below tierlimit.rules or correct", "");
			return null;
		}
		RateLimitedOperation other = this.named.putIfAbsent(new Naming(use.element(), id), use);
		if (other != null && !other.equals(use)) {
			problems.add("names rule '" + id + "' twice", "Leave one, or write the other as a rule of its own in", "");
			return null;
		}
		return this.rules.rules()
			.stream()
			.filter((rule) -> rule.id().equals(id))
			.findFirst()
			.map((rule) -> variant(rule, use, problems))
			.orElse(null);
	}

	private Rule variant(Rule rule, RateLimitedOperation use, RuleProblems problems) {
		String key = this.texts.text(use.annotation().key());
		String cost = this.texts.text(use.annotation().cost());
		Map<String, ResolvableType> arguments = arguments(use);
		if (!key.isEmpty()) {
			problems.expression("key", () -> CallerExpression.parse(key, arguments.keySet()), arguments);
		}
		Reservations reservations = reservations(rule, this.texts.text(use.annotation().maxWait()), problems);
		if (!cost.isEmpty()) {
			new CostReader(problems, arguments).check(cost, rule.limits(), reservations);
		}
		Scope scope = key.isEmpty() ? rule.scope() : new Scope(rule.scope().names(), key, rule.scope().anonymous());
		return new Rule(rule.id(), rule.selection(), scope, rule.limits(), cost.isEmpty() ? rule.cost() : cost,
				rule.mode(), rule.visibility(), rule.store(), reservations, rule.charging());
	}

	/** The types of a method's arguments by their names. */
	private static Map<String, ResolvableType> arguments(RateLimitedOperation use) {
		Map<String, ResolvableType> types = new LinkedHashMap<>();
		if (use.element() instanceof Method method) {
			use.arguments()
				.forEach((name, position) -> types.put(name, ResolvableType.forMethodParameter(method, position)));
		}
		return types;
	}

	private static Reservations reservations(Rule rule, String maxWait, RuleProblems problems) {
		if (maxWait.isEmpty()) {
			return rule.reservations();
		}
		String algorithm = KebabCase.of(rule.limits().standard().algorithm());
		RuleProperties bound = RuleBinder.bind(Map.of("max-wait", maxWait, "algorithm", algorithm), problems);
		Reservations own = new ReservationReader(bound, problems).read(rule.limits());
		return new Reservations(rule.reservations().maxReserved(), own.maxWait());
	}

	private @Nullable Rule written(RateLimitedOperation use, RuleProblems here, Problems problems) {
		RateLimited annotation = use.annotation();
		if (annotation.rate().isEmpty()) {
			here.add("has neither a rule nor a rate",
					"Name one of the rules " + this.ids + " or write a rate such as 10/s in", "");
			return null;
		}
		String id = annotation.name().isEmpty() ? use.standardId() : this.texts.text(annotation.name());
		RateLimitedOperation other = this.written.putIfAbsent(id, use);
		if (this.ids.contains(id) || (other != null && !other.equals(use))) {
			here.add("is rule '" + id + "', and so is " + ((other != null) ? other : "one of the configuration"),
					"If they share a bucket, name a rule of the configuration in both; else give another name to", "");
			return null;
		}
		if (annotation.burst() != -1 && !annotation.burstTime().isEmpty()) {
			here.add("has two bursts", "Leave burst or burstTime in", "");
			return null;
		}
		UnaryOperator<String> places = (
				property) -> (property.isEmpty() ? "the name" : AnnotationTexts.attribute(annotation, property))
						+ " in " + use;
		RuleProblems own = new RuleProblems("Rule '" + id + "'", places, problems);
		Map<String, String> texts = this.texts.of(annotation);
		if (!annotation.burstTime().isEmpty()) {
			texts.computeIfPresent(AnnotationTexts.BURST, (property, text) -> burstTime(text, own));
		}
		RuleProperties bound = RuleBinder.bind(texts, own);
		return new RuleReader(this.keyResolvers, arguments(use), own).read(id, bound);
	}

	/** A time, or nothing; {@code null} if it is something else. */
	private static @Nullable String burstTime(String text, RuleProblems problems) {
		if (text.isEmpty() || BurstReader.time(text) != null) {
			return text;
		}
		problems.add("has burstTime '" + text + "', but it is " + BurstReader.TIME, "Correct", AnnotationTexts.BURST);
		return null;
	}

	private record Naming(AnnotatedElement element, String rule) {

	}

}

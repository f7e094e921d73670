package io.tierlimit.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.RateLimited;
import io.tierlimit.RuleDecision;
import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.MethodRules;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RateLimitedOperationSource}.
 */
class RateLimitedOperationSourceTests {

	private final Rule shared = TestRules.rule("shared", 10).selection(TestRules.CODE);

	private final TestEvaluator evaluator = TestEvaluators.of(this.shared);

	private final List<RateLimitedOperation> read = new ArrayList<>();

	private final RateLimitedBeanScanner scanner = new RateLimitedBeanScanner(false);

	private final RateLimitedOperationSource source = new RateLimitedOperationSource(new Reader());

	@Test
	void methodWithoutAnnotationHasNoRules() {
		assertThat(of(Plain.class, "plain")).isSameAs(MethodRules.NONE);
		assertThat(decisions(method(Plain.class, "plain"), Plain.class)).isEmpty();
		assertThat(this.source.isEmpty()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "Plain, annotated, Plain.annotated", "Plain, twice, Plain.twice Plain.twice#2", "Whole, first, Whole",
			"Whole, second, Whole.second Whole", "Inheriting, annotated, Plain.annotated",
			"Inheriting, twice, Inheriting.twice", "Implementation, declared, Declaration.declared" })
	void annotationsOfAMethodPrecedeAnnotationsOfItsClass(String type, String method, String rules)
			throws ClassNotFoundException {
		assertThat(rules(Class.forName(getClass().getName() + "$" + type), method))
			.containsExactly(rules.split(" ", -1));
		assertThat(this.source.isEmpty()).isFalse();
	}

	@Test
	void annotationOnAClassDoesNotApplyToTheMethodsOfObject() {
		assertThat(of(Whole.class, "toString")).isSameAs(MethodRules.NONE);
	}

	@Test
	void methodOfTheInterfaceHasTheRulesOfItsImplementation() {
		assertThat(rules(method(Declaration.class, "undeclared"), Implementation.class))
			.containsExactly("Implementation.undeclared");
	}

	@Test
	void namedRuleIsTheCurrentRule() {
		assertThat(rules(Named.class, "plain")).containsExactly("shared");
		assertThat(this.evaluator.variants()).isEmpty();
		assertThat(this.evaluator.rules()).hasSize(1);
	}

	@Test
	void namedRuleWithItsOwnKeyAndCostIsAVariantOfTheCurrentRule() {
		assertThat(decisions(method(Named.class, "varied"), Named.class, "ada", 3)).singleElement()
			.satisfies((decision) -> {
				assertThat(decision.rule()).isEqualTo("shared");
				assertThat(decision.key()).contains("ada");
				assertThat(decision.cost()).isEqualTo(3);
			});
		assertThat(this.evaluator.variants()).singleElement()
			.satisfies((variant) -> assertThat(variant.rule().id()).isEqualTo("shared"));
		assertThat(this.evaluator.rules()).singleElement()
			.satisfies((rule) -> assertThat(rule.rule()).isEqualTo(this.shared));
	}

	@Test
	void ruleThatIsNotEnabledDoesNotApply() {
		assertThat(of(Named.class, "disabled")).isSameAs(MethodRules.NONE);
		assertThat(this.evaluator.rules()).hasSize(1);
	}

	@Test
	void ruleThatMethodAndClassNameAppliesOnceWithTheKeyAndCostOfTheMethod() {
		assertThat(decisions(method(NamedTwice.class, "varied"), NamedTwice.class)).singleElement()
			.satisfies((decision) -> assertThat(decision.cost()).isEqualTo(2));
	}

	/** The method with the annotation has the names. */
	@ParameterizedTest
	@CsvSource({ "Arguments, byName", "Arguments, byPosition", "Renaming, byName" })
	void argumentsAreReadByNameAndByPosition(String type, String method) throws ClassNotFoundException {
		Class<?> of = Class.forName(getClass().getName() + "$" + type);
		assertThat(decisions(method(of, method), of, "first", "second")).singleElement()
			.satisfies((decision) -> assertThat(decision.key()).contains("second").doesNotContain("first"));
	}

	@Test
	void sameMethodHasTheSameRulesObject() {
		MethodRules rules = of(Implementation.class, "undeclared");
		assertThat(of(Implementation.class, "undeclared")).isSameAs(rules);
		assertThat(of(method(Declaration.class, "undeclared"), Implementation.class)).isSameAs(rules);
		assertThat(this.read).hasSize(1);
	}

	@Test
	void annotationsOfTheScannerAreReadBeforeTheFirstCall() {
		assertThat(this.scanner.appliesTo(Plain.class)).isTrue();
		assertThat(this.evaluator.activeRules().current().rule("Plain.annotated")).isNull();
		this.source.read(this.scanner, this.evaluator.activeRules().current());
		assertThat(this.evaluator.rule("Plain.annotated")).isNotNull();
	}

	@Test
	void methodHasTheRulesOfEachRuleSet() {
		CompiledRules before = this.evaluator.activeRules().current();
		MethodRules rules = this.source.of(before, method(Named.class, "plain"), Named.class);
		this.evaluator.replace(this.shared.cost("2"));
		assertThat(of(Named.class, "plain").rules()).extracting(Rule::cost).containsExactly("2");
		assertThat(this.source.of(before, method(Named.class, "plain"), Named.class)).isSameAs(rules);
		assertThat(rules.rules()).containsExactly(this.shared);
	}

	@Test
	void methodThatIsCalledFirstAfterAReplacementHasTheRulesOfItsRequest() {
		Rule before = TestRules.rule("Plain.annotated", 7);
		CompiledRules enabled = compile(List.of(before), Set.of());
		CompiledRules disabled = compile(List.of(), Set.of("Plain.annotated"));
		assertThat(this.source.of(enabled, method(Plain.class, "annotated"), Plain.class).rules())
			.containsExactly(before);
		assertThat(this.source.of(disabled, method(Plain.class, "annotated"), Plain.class).rules()).isEmpty();
		assertThat(this.read).isEmpty();
	}

	private CompiledRules compile(List<Rule> rules, Set<String> inactive) {
		return this.evaluator.activeRules()
			.compile(new RuleSet(rules, Map.of(), inactive, List.of(), RuleMode.ENFORCE));
	}

	@Test
	void inheritedAnnotationIsOneRuleOfBothClasses() {
		of(Plain.class, "annotated");
		of(Inheriting.class, "annotated");
		assertThat(this.evaluator.rules()).extracting((rule) -> rule.rule().id())
			.containsExactly("shared", "Plain.annotated");
		assertThat(this.evaluator.variants()).isEmpty();
	}

	private MethodRules of(Class<?> type, String method) {
		return of(method(type, method), type);
	}

	private MethodRules of(Method method, Class<?> type) {
		return this.source.of(this.evaluator.activeRules().current(), method, type);
	}

	private List<String> rules(Class<?> type, String method) {
		return rules(method(type, method), type);
	}

	private List<String> rules(Method method, Class<?> type) {
		return decisions(method, type).stream().map(RuleDecision::rule).toList();
	}

	private List<RuleDecision> decisions(Method method, Class<?> type, Object... arguments) {
		return this.evaluator.begin(Caller.UNKNOWN).evaluateCall(of(method, type), arguments).decisions();
	}

	private static Method method(Class<?> type, String name) {
		return Objects.requireNonNull(ReflectionUtils.findMethod(type, name, (Class<?>[]) null));
	}

	/**
	 * Reads the id, the key and the cost, and counts the calls.
	 */
	private final class Reader implements RateLimitedReader {

		@Override
		public @Nullable Rule read(RateLimitedOperation use, Function<String, @Nullable Rule> rules) {
			RateLimitedOperationSourceTests.this.read.add(use);
			RateLimited annotation = use.annotation();
			if (annotation.value().equals("disabled")) {
				return null;
			}
			Rule rule = use.namesRule() ? Objects.requireNonNull(rules.apply("shared"))
					: TestRules.rule(use.standardId(), 10).selection(TestRules.CODE);
			if (!annotation.key().isEmpty()) {
				rule = rule.scope(new Scope(List.of(), annotation.key(), MissingKeyPolicy.IP));
			}
			return annotation.cost().isEmpty() ? rule : rule.cost(annotation.cost());
		}

		@Override
		public String idOf(RateLimitedOperation use) {
			return use.namesRule() ? use.annotation().value() : use.standardId();
		}

	}

	static class Plain {

		void plain() {
		}

		@RateLimited(rate = "1/s")
		void annotated() {
		}

		@RateLimited(rate = "1/s")
		@RateLimited(rate = "10/m")
		void twice() {
		}

	}

	static class Inheriting extends Plain {

		@Override
		void annotated() {
		}

		@Override
		@RateLimited(rate = "1/h")
		void twice() {
		}

	}

	@RateLimited(rate = "1/s")
	static class Whole {

		void first() {
		}

		@RateLimited(rate = "1/s")
		void second() {
		}

	}

	interface Declaration {

		@RateLimited(rate = "1/s")
		void declared();

		void undeclared();

	}

	static class Implementation implements Declaration {

		@Override
		public void declared() {
		}

		@Override
		@RateLimited(rate = "1/s")
		public void undeclared() {
		}

	}

	static class Named {

		@RateLimited("shared")
		void plain() {
		}

		@RateLimited(value = "shared", key = "#name", cost = "#permits")
		void varied(String name, int permits) {
		}

		@RateLimited("disabled")
		void disabled() {
		}

	}

	@RateLimited("shared")
	static class NamedTwice {

		@RateLimited(value = "shared", cost = "2")
		void varied() {
		}

	}

	static class Arguments {

		@RateLimited(rate = "1/s", key = "#user")
		void byName(String other, String user) {
		}

		@RateLimited(rate = "1/s", key = "#a1")
		void byPosition(String other, String user) {
		}

	}

	static class Renaming extends Arguments {

		@Override
		void byName(String one, String two) {
		}

	}

}

package io.tierlimit.autoconfigure;

import java.util.List;

import io.tierlimit.RateLimited;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.rule.InvalidRulesException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AnnotationMistakeTests {

	private static final String HERE = "@RateLimited on " + AnnotationMistakeTests.class.getPackageName() + ".";

	private static final String NESTED = "@RateLimited on " + AnnotationMistakeTests.class.getName() + "$";

	private static final String ONLY_KEY_COST_AND_MAX_WAIT = ": an annotation that names a rule ('known') can set key, cost and maxWait only. Remove all other attributes from the annotation.";

	private static final BeanDefinitionCustomizer LAZY = (bean) -> bean.setLazyInit(true);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.known.rate=5/s", "tierlimit.rules.known.applies-to=code",
				"tierlimit.rules.off.rate=5/s", "tierlimit.rules.off.enabled=false");

	/** Methods whose annotations have mistakes. Two further methods have none. */
	static Class<?> mistakes() {
		return AnnotatedBean.named("Mistakes", "unknown: value=knwon", "neither: scope=ip",
				"both: value=known; rate=1/s", "rate: rate=5", "burst: rate=5/s; burst=0",
				"scope: rate=5/s; scope=tenant", "key(id): rate=5/s; key=#tenant", "cost: value=known; cost=6",
				"placeholder: value=${no.such}", "first: rate=5/s; name=twice", "second: rate=5/s; name=twice",
				"taken: rate=5/s; name=known", "named: rate=5/s; name=a b", "off: value=off",
				"property: rate=10/s; properties=algoritm=sliding-window",
				"invalid: rate=10/s; scope=user; properties=ban.after=many; properties=ban.within=1m; properties=ban.for=2m",
				"line: rate=10/s; properties=max-wait", "rateTwice: rate=10/s; properties=rate=100/s",
				"scopeTwice: rate=10/s; scope=user; properties=scope=ip",
				"forRequests: rate=10/s; properties=appliesTo=requests", "naming: value=known; properties=burst=100",
				"naming2: value=known; name=other", "naming3: value=known; scope=ip",
				"naming4: value=known; condition=ip != null", "naming5: value=known; burst=5",
				"word: rate=10/m; burst=soon; cost=500", "endless: rate=10/m; burst=4000d",
				"brief: rate=10/m; burst=1s",
				"nothing: rate=10/m; burst=${no.such:}; scope=${no.such:}; maxWait=${no.such:}",
				"log: value=log; maxWait=5s", "soon: value=known; maxWait=soon", "number: value=known; maxWait=5",
				"past: value=known; maxWait=-1s", "usr: value=known; key=usr");
	}

	@Test
	void allMistakesAreReportedTogetherWithMistakesOfTheConfiguration() {
		String burst = ": burst must be 1 to 1000000000000 permits, or a time|";
		assertReported(
				problems(mistakes(), "tierlimit.rules.bad.rate=10", "tierlimit.rules.log.rate=5/s",
						"tierlimit.rules.log.algorithm=sliding-log"),
				"Rule 'bad': rate must be permits per period|(was '10')|tierlimit.rules.bad.rate (test)",
				HERE + "Mistakes.unknown: rule 'knwon' does not exist. The rules are [known, off, bad, log]. Correct the annotation, or define the rule below tierlimit.rules.",
				HERE + "Mistakes.neither: a rule or a rate is required. Name one of the rules [known, off, bad, log], or set a rate such as 10/s, in the annotation.",
				HERE + "Mistakes.both" + ONLY_KEY_COST_AND_MAX_WAIT,
				"Rule 'Mistakes.rate': rate must be permits per period|(was '5')|Correct rate in " + HERE
						+ "Mistakes.rate.",
				"Rule 'Mistakes.burst': burst must be 1 to 1000000000000 permits (was '0')|Correct burst in " + HERE
						+ "Mistakes.burst.",
				"Rule 'Mistakes.scope': scope 'tenant' does not exist|Correct scope in " + HERE
						+ "Mistakes.scope, or define a KeyResolver bean named 'tenant'.",
				"Rule 'Mistakes.key': '#tenant' is not supported in an expression, because the known arguments are [id, a0]: correct its name, compile with -parameters|Correct key in "
						+ HERE + "Mistakes.key.",
				HERE + "Mistakes.cost: cost 6 is above the capacity of 5|Lower cost in the annotation, or raise the burst.",
				HERE + "Mistakes.placeholder: Could not resolve placeholder 'no.such' in value \"${no.such}\". Correct the annotation.",
				HERE + "Mistakes.second: rule 'twice' is also defined by " + HERE
						+ "Mistakes.first. To share a bucket, name a rule|Otherwise set another name in the annotation.",
				HERE + "Mistakes.taken: rule 'known' is also defined by the configuration. To share a bucket, name a rule|Otherwise set another name in the annotation.",
				"Rule 'a b': the id of a rule must have|(was 'a b')|Correct the name in " + HERE + "Mistakes.named.",
				"Rule 'Mistakes.property': 'algoritm' is not a known property. Known properties are|Correct or remove algoritm in "
						+ HERE,
				"Rule 'Mistakes.invalid': ban.after must be a whole number (was 'many'). Correct ban.after in " + HERE,
				HERE + "Mistakes.line|properties must have a name and a value, such as algorithm=sliding-window (was 'max-wait')",
				HERE + "Mistakes.rateTwice|rate is set twice", HERE + "Mistakes.scopeTwice|scope is set twice",
				HERE + "Mistakes.forRequests|appliesTo is set twice",
				HERE + "Mistakes.naming" + ONLY_KEY_COST_AND_MAX_WAIT,
				HERE + "Mistakes.naming2" + ONLY_KEY_COST_AND_MAX_WAIT,
				HERE + "Mistakes.naming3" + ONLY_KEY_COST_AND_MAX_WAIT,
				HERE + "Mistakes.naming4" + ONLY_KEY_COST_AND_MAX_WAIT,
				HERE + "Mistakes.naming5" + ONLY_KEY_COST_AND_MAX_WAIT,
				"Rule 'Mistakes.word'" + burst + "(was 'soon')|Correct burst in " + HERE + "Mistakes.word.",
				"Rule 'Mistakes.endless'" + burst + "(was '4000d')|Correct burst in " + HERE + "Mistakes.endless.",
				"Rule 'Mistakes.brief': burst must earn at least 1 permit at 10/m (was '1s')|Correct burst in " + HERE
						+ "Mistakes.brief.",
				HERE + "Mistakes.log: max-wait is not supported by sliding-log. Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove maxWait in the annotation.",
				HERE + "Mistakes.soon: max-wait must be a time such as 500ms, 10s or 5m (was 'soon'). Correct maxWait in the annotation.",
				HERE + "Mistakes.number: max-wait must be a time such as 500ms, 10s or 5m (was '5'). Correct maxWait in the annotation.",
				HERE + "Mistakes.past: max-wait must be from 0s to 3650d (was '-1s'). Correct maxWait in the annotation.",
				HERE + "Mistakes.usr: A caller has no fact 'usr'. The facts are [method, path,|Correct key in the annotation.");
		assertReported(problems(Doubled.class), NESTED
				+ "Doubled.call: another annotation in the same place also names rule 'known'. Remove one of them, or set a rate instead of the rule in the annotation.");
	}

	@Test
	void membersOfArgumentsAreChecked() {
		assertReported(problems(Members.class),
				"Rule 'Members.key': 'idd' is not supported in an expression, because a " + Tenant.class.getName()
						+ " lacks it: correct its name, or use a KeyResolver bean. Correct key in " + NESTED
						+ "Members.key.",
				NESTED + "Members.cost: 'size()' is not supported in an expression, because a int lacks it: correct its name, or ");
	}

	static class Members {

		@RateLimited(rate = "5/s", key = "#tenant.idd")
		public void key(Tenant tenant) {
		}

		@RateLimited(value = "known", cost = "#n.size() + 1")
		public void cost(int n) {
		}

		@RateLimited(value = "known", key = "'fine'", cost = "#tenants.size() + 1")
		public void fine(List<Tenant> tenants) {
		}

	}

	/** Has an id. */
	public record Tenant(String id) {

	}

	@Test
	void annotationThatDoesNotFitTheOptionsOfItsRuleIsReported() {
		assertReported(
				problems(spread(), "tierlimit.rules.spread.rate=100/s", "tierlimit.rules.spread.shards=2",
						"tierlimit.rules.spread.applies-to=code"),
				HERE + "Spread.key: Rule 'spread': shards need a bucket that callers share, but each caller has its own|the annotation",
				HERE + "Spread.waiting: Rule 'spread': shards cannot be combined with max-wait|the annotation");
	}

	static Class<?> spread() {
		return AnnotatedBean.named("Spread", "same: value=spread", "key: value=spread; key=user",
				"waiting: value=spread; maxWait=5s");
	}

	@Test
	void methodThatNoProxyInterceptsIsReported() {
		String fix = "|, so no proxy intercepts it. Make it neither private, static nor final, or move the method to another bean.";
		assertReported(problems(Uninterceptable.class),
				NESTED + "Uninterceptable.secret cannot limit its calls: the method is private" + fix,
				NESTED + "Uninterceptable.fixed cannot limit its calls: the method is final" + fix,
				NESTED + "Uninterceptable.shared cannot limit its calls: the method is static" + fix);
		String name = AnnotationMistakeTests.class.getName();
		assertReported(problems(FinalMethod.class),
				NESTED + "FinalMethod cannot limit calls to " + name + "$FinalMethod.fixed: the method is final" + fix);
		assertReported(problems(FinalImplementation.class), NESTED + "AnnotatedInterface cannot limit calls to " + name
				+ "$FinalImplementation.run: the method is final" + fix);
		assertReported(problems(FinalClass.class),
				NESTED + "FinalClass.call cannot limit its calls: its class is final" + fix);
	}

	@Test
	void annotationThatIsFoundWhenTheBeanIsCreatedIsCheckedThen() {
		Class<?> late = AnnotatedBean.named("Late", "run: value=late");
		String missing = HERE
				+ "Late.run: rule 'late' does not exist. The rules are [known, off]. Correct the annotation, or define the rule below tierlimit.rules.";
		this.runner.withBean(Object.class, () -> BeanUtils.instantiateClass(late))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContaining(missing));
		this.runner.withBean("late", Object.class, () -> BeanUtils.instantiateClass(late), LAZY)
			.run((context) -> assertBeanFailsTwice(context, "late", missing));
	}

	@Test
	void annotationWithTheIdOfAConfiguredRuleIsNotTheOriginOfThatRule() {
		Class<?> taken = AnnotatedBean.named("Taken", "run: name=known; rate=1/s");
		this.runner.withBean("taken", Object.class, () -> BeanUtils.instantiateClass(taken), LAZY).run((context) -> {
			assertBeanFailsTwice(context, "taken", "rule 'known' is also defined by the configuration");
			assertThat(context.getBean(ConfiguredRules.class).origin("known")).isEqualTo("test");
		});
	}

	private static void assertBeanFailsTwice(AssertableApplicationContext context, String bean, String problem) {
		assertThat(context).hasNotFailed();
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> context.getBean(bean))
				.havingRootCause()
				.withMessageContaining(problem);
		}
	}

	private List<String> problems(Class<?> bean, String... properties) {
		return ReportedProblems.of(this.runner.withUserConfiguration(bean).withPropertyValues(properties));
	}

	static class Doubled {

		@RateLimited(value = "known", cost = "1")
		@RateLimited(value = "known", cost = "2")
		void call() {
		}

	}

	static class Uninterceptable {

		@RateLimited("known")
		private void secret() {
		}

		@RateLimited("known")
		final void fixed() {
		}

		@RateLimited("known")
		static void shared() {
		}

		@RateLimited("known")
		void call() {
			secret();
		}

	}

	@RateLimited("known")
	static class FinalMethod {

		final void fixed() {
			internal();
		}

		private void internal() {
		}

		@Override
		public final String toString() {
			return "fixed";
		}

	}

	@RateLimited("known")
	interface AnnotatedInterface extends Runnable {

	}

	static class FinalImplementation implements AnnotatedInterface {

		@Override
		public final void run() {
		}

	}

	static final class FinalClass {

		@RateLimited("known")
		void call() {
		}

	}

}

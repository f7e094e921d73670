package io.tierlimit.autoconfigure;

import java.util.List;

import io.tierlimit.RateLimited;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.rule.InvalidRulesException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AnnotationMistakeTests {

	private static final String HERE = "@RateLimited on " + AnnotationMistakeTests.class.getName() + "$";

	private static final String ONLY_KEY_COST_AND_MAX_WAIT = ": an annotation that names a rule ('known') can set key, cost and maxWait only. Remove all other attributes from the annotation.";

	private static final BeanDefinitionCustomizer LAZY = (bean) -> bean.setLazyInit(true);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.known.rate=5/s", "tierlimit.rules.known.applies-to=code",
				"tierlimit.rules.off.rate=5/s", "tierlimit.rules.off.enabled=false");

	@Test
	void allMistakesAreReportedTogetherWithMistakesOfTheConfiguration() {
		assertReported(problems(Mistakes.class, "tierlimit.rules.bad.rate=10"),
				"Rule 'bad': rate must be permits per period|(was '10')|tierlimit.rules.bad.rate (test)",
				HERE + "Mistakes.unknown: rule 'knwon' does not exist. The rules are [known, off, bad]. Correct the annotation, or define the rule below tierlimit.rules.",
				HERE + "Mistakes.neither: a rule or a rate is required. Name one of the rules [known, off, bad], or set a rate such as 10/s, in the annotation.",
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
				HERE + "Mistakes.doubled: another annotation in the same place also names rule 'known'. Remove one of them, or set a rate instead of the rule in the annotation.",
				HERE + "Mistakes.taken: rule 'known' is also defined by the configuration. To share a bucket, name a rule|Otherwise set another name in the annotation.",
				"Rule 'a b': the id of a rule must have|(was 'a b')|Correct the name in " + HERE + "Mistakes.named.");
	}

	@Test
	void membersOfArgumentsAreChecked() {
		assertReported(problems(Members.class),
				"Rule 'Members.key': 'idd' is not supported in an expression, because a " + Tenant.class.getName()
						+ " lacks it: correct its name, or use a KeyResolver bean. Correct key in " + HERE
						+ "Members.key.",
				HERE + "Members.cost: 'size()' is not supported in an expression, because a int lacks it: correct its name, or ");
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
	void mistakesOfBurstsNameTheAttribute() {
		String requirement = ": burst must be 1 to 1000000000000 permits, or a time|";
		assertReported(problems(Bursts.class),
				"Rule 'Bursts.word'" + requirement + "(was 'soon')|Correct burst in " + HERE + "Bursts.word.",
				"Rule 'Bursts.endless'" + requirement + "(was '4000d')|Correct burst in " + HERE + "Bursts.endless.",
				"Rule 'Bursts.brief': burst must earn at least 1 permit at 10/m (was '1s')|Correct burst in " + HERE
						+ "Bursts.brief.",
				HERE + "Bursts.both" + ONLY_KEY_COST_AND_MAX_WAIT);
	}

	static class Bursts {

		@RateLimited(rate = "10/m", burst = "soon", cost = "500")
		public void word() {
		}

		@RateLimited(rate = "10/m", burst = "4000d")
		public void endless() {
		}

		@RateLimited(rate = "10/m", burst = "1s")
		public void brief() {
		}

		@RateLimited(rate = "10/m", burst = "${no.such:}", scope = "${no.such:}", maxWait = "${no.such:}")
		public void nothing() {
		}

		@RateLimited(value = "known", burst = "5")
		public void both() {
		}

	}

	@Test
	void annotationThatNamesARuleCanSetOnlyKeyCostAndMaxWait() {
		assertReported(problems(NamingWithMore.class), HERE + "NamingWithMore.name" + ONLY_KEY_COST_AND_MAX_WAIT,
				HERE + "NamingWithMore.scope" + ONLY_KEY_COST_AND_MAX_WAIT,
				HERE + "NamingWithMore.condition" + ONLY_KEY_COST_AND_MAX_WAIT);
	}

	static class NamingWithMore {

		@RateLimited(value = "known", name = "other")
		public void name() {
		}

		@RateLimited(value = "known", scope = "ip")
		public void scope() {
		}

		@RateLimited(value = "known", condition = "ip != null")
		public void condition() {
		}

	}

	@Test
	void mistakesOfAnAnnotationThatNamesARuleNameTheAttribute() {
		assertReported(
				problems(Naming.class, "tierlimit.rules.log.rate=5/s", "tierlimit.rules.log.algorithm=sliding-log"),
				HERE + "Naming.log: max-wait is not supported by sliding-log. Set algorithm to token-bucket, leaky-bucket or fixed-window, or remove maxWait in the annotation.",
				HERE + "Naming.word: max-wait must be a time such as 500ms, 10s or 5m (was 'soon'). Correct maxWait in the annotation.",
				HERE + "Naming.number: max-wait must be a time such as 500ms, 10s or 5m (was '5'). Correct maxWait in the annotation.",
				HERE + "Naming.past: max-wait must be from 0s to 3650d (was '-1s'). Correct maxWait in the annotation.",
				HERE + "Naming.key: A caller has no fact 'usr'. The facts are [method, path,|Correct key in the annotation.");
	}

	static class Naming {

		@RateLimited(value = "log", maxWait = "5s")
		public void log() {
		}

		@RateLimited(value = "known", maxWait = "soon")
		public void word() {
		}

		@RateLimited(value = "known", maxWait = "5")
		public void number() {
		}

		@RateLimited(value = "known", maxWait = "-1s")
		public void past() {
		}

		@RateLimited(value = "known", key = "usr")
		public void key() {
		}

	}

	@Test
	void annotationThatDoesNotFitTheOptionsOfItsRuleIsReported() {
		assertReported(
				problems(Spread.class, "tierlimit.rules.spread.rate=100/s", "tierlimit.rules.spread.shards=2",
						"tierlimit.rules.spread.applies-to=code"),
				HERE + "Spread.key: Rule 'spread': shards need a bucket that callers share, but each caller has its own|the annotation",
				HERE + "Spread.wait: Rule 'spread': shards cannot be combined with max-wait|the annotation");
	}

	static class Spread {

		@RateLimited("spread")
		public void same() {
		}

		@RateLimited(value = "spread", key = "user")
		public void key() {
		}

		@RateLimited(value = "spread", maxWait = "5s")
		public void wait(int time) {
		}

	}

	@Test
	void methodThatNoProxyInterceptsIsReported() {
		String fix = "|, so no proxy intercepts it. Make it neither private, static nor final, or move the method to another bean.";
		assertReported(problems(Uninterceptable.class),
				HERE + "Uninterceptable.secret cannot limit its calls: the method is private" + fix,
				HERE + "Uninterceptable.fixed cannot limit its calls: the method is final" + fix,
				HERE + "Uninterceptable.shared cannot limit its calls: the method is static" + fix);
		String name = AnnotationMistakeTests.class.getName();
		assertReported(problems(FinalMethod.class),
				HERE + "FinalMethod cannot limit calls to " + name + "$FinalMethod.fixed: the method is final" + fix);
		assertReported(problems(FinalImplementation.class), HERE + "AnnotatedInterface cannot limit calls to " + name
				+ "$FinalImplementation.run: the method is final" + fix);
		assertReported(problems(FinalClass.class),
				HERE + "FinalClass.call cannot limit its calls: its class is final" + fix);
	}

	@Test
	void annotationThatIsFoundWhenTheBeanIsCreatedIsCheckedThen() {
		String missing = HERE
				+ "LateRunnable.run: rule 'late' does not exist. The rules are [known, off]. Correct the annotation, or define the rule below tierlimit.rules.";
		this.runner.withBean(Runnable.class, LateRunnable::new)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidRulesException.class)
				.hasMessageContaining(missing));
		this.runner.withBean(Runnable.class, LateRunnable::new, LAZY).run((context) -> {
			assertThat(context).hasNotFailed();
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> context.getBean(Runnable.class))
					.havingRootCause()
					.withMessageContaining(missing);
			}
		});
	}

	@Test
	void annotationWithTheIdOfAConfiguredRuleIsNotTheOriginOfThatRule() {
		this.runner.withBean(Runnable.class, TakenRunnable::new, LAZY).run((context) -> {
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> context.getBean(Runnable.class))
					.havingRootCause()
					.withMessageContaining("rule 'known' is also defined by the configuration");
			}
			assertThat(context.getBean(ConfiguredRules.class).origin("known")).isEqualTo("test");
		});
	}

	private List<String> problems(Class<?> bean, String... properties) {
		return ReportedProblems.of(this.runner.withUserConfiguration(bean).withPropertyValues(properties));
	}

	static class Mistakes {

		@RateLimited("knwon")
		void unknown() {
		}

		@RateLimited(scope = "ip")
		void neither() {
		}

		@RateLimited(value = "known", rate = "1/s")
		void both() {
		}

		@RateLimited(rate = "5")
		void rate() {
		}

		@RateLimited(rate = "5/s", burst = "0")
		void burst() {
		}

		@RateLimited(rate = "5/s", scope = "tenant")
		void scope() {
		}

		@RateLimited(rate = "5/s", key = "#tenant")
		void key(String id) {
		}

		@RateLimited(value = "known", cost = "6")
		void cost() {
		}

		@RateLimited("${no.such}")
		void placeholder() {
		}

		@RateLimited(rate = "5/s", name = "twice")
		void first() {
		}

		@RateLimited(rate = "5/s", name = "twice")
		void second() {
		}

		@RateLimited(rate = "5/s", name = "known")
		void taken() {
		}

		@RateLimited(rate = "5/s", name = "a b")
		void named() {
		}

		@RateLimited(value = "known", cost = "1")
		@RateLimited(value = "known", cost = "2")
		void doubled() {
		}

		@RateLimited("off")
		void off() {
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

	static class LateRunnable implements Runnable {

		@RateLimited("late")
		@Override
		public void run() {
		}

	}

	static class TakenRunnable implements Runnable {

		@RateLimited(name = "known", rate = "1/s")
		@Override
		public void run() {
		}

	}

}

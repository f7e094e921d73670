package io.tierlimit.autoconfigure.rules;

import io.tierlimit.RateLimited;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.autoconfigure.ReportedProblems;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.spi.RuleSource;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.DelegatingBucketStore;
import io.tierlimit.store.SequentialBucketStore;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Test;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static io.tierlimit.autoconfigure.rules.ContextRules.ids;
import static io.tierlimit.autoconfigure.rules.RuleReading.RUNNER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Rules with an algorithm that the store of the application does not support.
 */
class StoreSupportTests {

	private final TestRuleSource table = new TestRuleSource("table");

	private final ApplicationContextRunner runner = RUNNER.withPropertyValues("tierlimit.rules.known.rate=1/s",
			"tierlimit.rules.known.applies-to=code");

	private final ApplicationContextRunner withoutSupport = this.runner.withBean(BucketStore.class,
			() -> new SequentialBucketStore(() -> 0));

	@Test
	void ruleAndCandidateAreReportedWithTheStore() {
		assertReported(
				ReportedProblems.of(this.withoutSupport.withPropertyValues("tierlimit.rules.a.algorithm=concurrency",
						"tierlimit.rules.a.limit=2", "tierlimit.rules.b.rate=1/s",
						"tierlimit.rules.b.candidate.algorithm=concurrency", "tierlimit.rules.b.candidate.limit=2")),
				"Rule 'a': algorithm concurrency is not supported by the store 'SequentialBucketStore'. Set another algorithm in tierlimit.rules.a.algorithm (test), or use a store that supports it.",
				"Rule 'b': candidate.algorithm concurrency is not supported by the store 'SequentialBucketStore'. Set another algorithm in tierlimit.rules.b.candidate.algorithm (test), or use a store that supports it.");
	}

	@Test
	void storeThatSupportsTheAlgorithmIsUsed() {
		this.runner.withBean(BucketStore.class, SupportingStore::new)
			.withPropertyValues("tierlimit.rules.a.algorithm=concurrency", "tierlimit.rules.a.limit=2")
			.run((context) -> assertThat(ids(context)).containsExactly("known", "a"));
	}

	/** A store of the application may depend on beans that depend on the rules. */
	@Test
	void storeIsNotCreatedWithTheRulesIfNoRuleDependsOnIt() {
		this.runner.withUserConfiguration(StoreAfterRules.class)
			.withPropertyValues("tierlimit.rules.known.algorithm=sliding-log")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(SequentialBucketStore.class));
	}

	@Test
	void ruleOfASourceIsReportedAtStartupOrLeftOutIfMistakesOfSourcesAreIgnored() {
		this.table.set("a", "algorithm", "concurrency").set("a", "limit", "2");
		ApplicationContextRunner withTable = this.withoutSupport.withBean(RuleSource.class, () -> this.table);
		assertReported(ReportedProblems.of(withTable),
				"Rule 'a': algorithm concurrency is not supported by the store 'SequentialBucketStore'|(table, row 'a')");
		withTable.withPropertyValues("tierlimit.reload.on-startup-failure=ignore")
			.run((context) -> assertThat(ids(context)).containsExactly("known"));
	}

	@Test
	void reloadIsRejected() {
		this.withoutSupport.withBean(RuleSource.class, () -> this.table).run((context) -> {
			this.table.set("known", "rate", "9/s").set("a", "algorithm", "concurrency").set("a", "limit", "2");
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(String.join(" ", result.problems()))
				.contains("Rule 'a': algorithm concurrency is not supported by the store 'SequentialBucketStore'");
			assertThat(ids(context)).containsExactly("known");
		});
	}

	@Test
	void annotationIsReportedAtStartup() {
		assertReported(
				ReportedProblems.of(this.withoutSupport.withUserConfiguration(AnnotatedBean.named("Exports",
						"export: name=exports; properties=algorithm=concurrency; properties=limit=2"))),
				"Rule 'exports': algorithm concurrency is not supported by the store 'SequentialBucketStore'|algorithm in @RateLimited on");
	}

	@Test
	void annotationThatIsFoundWhenTheBeanIsCreatedIsReportedThen() {
		Class<?> late = AnnotatedBean.named("LateExports",
				"run: name=late; properties=algorithm=concurrency; properties=limit=2");
		this.withoutSupport
			.withBean("late", Object.class, () -> BeanUtils.instantiateClass(late), (bean) -> bean.setLazyInit(true))
			.run((context) -> assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> context.getBean("late"))
				.havingRootCause()
				.withMessageContaining("Rule 'late': algorithm concurrency is not supported by the store "
						+ "'SequentialBucketStore'"));
	}

	private static final class SupportingStore extends DelegatingBucketStore {

		SupportingStore() {
			super(new InMemoryBucketStore(() -> 0, 100));
		}

		@Override
		public boolean supports(Algorithm algorithm) {
			return true;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class StoreAfterRules {

		@Bean
		BucketStore store(ConfiguredRules rules) {
			return new SequentialBucketStore(() -> rules.rules().rules().size());
		}

	}

}

package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.RateLimiter;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.KeyResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;

import static io.tierlimit.autoconfigure.rules.ContextRules.ids;
import static io.tierlimit.autoconfigure.rules.ContextRules.reload;
import static io.tierlimit.autoconfigure.rules.ContextRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Reloads of the rules of rule sources and of the configuration.
 */
@ExtendWith(OutputCaptureExtension.class)
class RuleReloadTests {

	private final TestRuleSource table = new TestRuleSource("table");

	private final ApplicationContextRunner runner = RuleSourceTests.withTable(this.table);

	@Test
	void placeThatCannotBeReadIsAFailureOfTheSource() {
		this.table.set("extra", "rate", "5/m");
		this.runner.run((context) -> {
			this.table.failPlacesWith(new IllegalStateException("closed"));
			assertThat(reload(context)).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(ids(context)).containsExactly("per-user", "extra");
		});
	}

	@Test
	void reloadReplacesTheWholeRuleSetAtOnce() {
		this.table.set("a", "rate", "1/s").set("b", "rate", "1/s");
		this.runner.run((context) -> {
			CompiledRules before = context.getBean(ActiveRules.class).current();
			this.table.set("a", "rate", "2/s").set("c", "rate", "1/s");
			this.table.remove("b");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(before.all()).extracting((rule) -> rule.rule().id()).containsExactly("per-user", "a", "b");
			assertThat(before.all().get(1).rule().limits().standard().rate()).isEqualTo(Rate.parse("1/s"));
			assertThat(ids(context)).containsExactly("per-user", "a", "c");
			assertThat(rule(context, "a").limits().standard().rate()).isEqualTo(Rate.parse("2/s"));
		});
	}

	@Test
	void reloadReadsTheConfigurationAgain(CapturedOutput output) {
		this.runner.run((context) -> {
			CompiledRules before = context.getBean(ActiveRules.class).current();
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			assertThat(context.getBean(ActiveRules.class).current()).isSameAs(before);
			assertThat(output).doesNotContain("were reloaded");
			TestPropertyValues
				.of("tierlimit.rules.per-user.rate=20/s", "tierlimit.rules.other.rate=1/s", "tierlimit.unknown=1")
				.applyTo(context);
			assertThat(reload(context)).as("an unknown property outside of the rules").isEqualTo(Outcome.REPLACED);
			assertThat(rule(context, "per-user").limits().standard().rate()).isEqualTo(Rate.parse("20/s"));
			assertThat(output).contains("The rules were reloaded. Added: [other], removed: [], changed: [per-user].");
			TestPropertyValues.of("tierlimit.rules.per-user.unknown=1").applyTo(context);
			assertThat(reload(context)).isEqualTo(Outcome.INVALID);
		});
	}

	@Test
	void invalidRuleLeavesThePreviousRulesActive(CapturedOutput output) {
		this.table.set("extra", "rate", "5/m");
		this.runner.run((context) -> {
			CompiledRules before = context.getBean(ActiveRules.class).current();
			this.table.set("extra", "rate", "5/x").set("per-user", "rate", "1/s").set("bad", "ratte", "1/s");
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(String.join(" ", result.problems())).contains("Rule 'extra'", "'5/x'",
					"tierlimit.rules.extra.rate (table, row 'extra')", "ratte");
			assertThat(context.getBean(ActiveRules.class).current()).isSameAs(before);
			assertThat(output).containsOnlyOnce("The rules are not valid, so the previous ones remain active.");
			assertThat(context.getBean(RuleReloader.class).counts()).containsEntry(Outcome.INVALID, 2L)
				.containsEntry(Outcome.REPLACED, 0L);
			this.table.remove("bad");
			this.table.set("extra", "rate", "6/m");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(context.getBean(RuleReloader.class).last().problems()).isEmpty();
		});
	}

	@Test
	void ruleThatAnAnnotationNamesCannotBeRemoved() {
		this.table.set("named", "rate", "5/m").set("named", "applies-to", "code");
		this.runner.withBean(Named.class).run((context) -> {
			this.table.remove("named");
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(result.problems()).singleElement()
				.asString()
				.contains("rule 'named' does not exist", "Named.call");
			assertThat(ids(context)).contains("named");
		});
	}

	/**
	 * Only the log has the message of the failure. Rules that were not valid are not
	 * kept.
	 */
	@Test
	void rulesOfASourceThatCannotBeReadRemainActive(CapturedOutput output) {
		this.table.set("extra", "rate", "5/m");
		this.runner.run((context) -> {
			this.table.set("extra", "rate", "slow");
			assertThat(reload(context)).isEqualTo(Outcome.INVALID);
			this.table.failWith(new IOException("no connection to db.internal"));
			TestPropertyValues.of("tierlimit.rules.per-user.rate=20/s").applyTo(context);
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(result.problems())
				.containsExactly("The rule source 'table' cannot be read (IOException). The log has the cause.");
			this.table.failWith(new IOException("no connection to db.internal, attempt 2"));
			assertThat(reload(context)).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(ids(context)).containsExactly("per-user", "extra");
			assertThat(rule(context, "extra").limits().standard().rate()).isEqualTo(Rate.parse("5/m"));
			assertThat(rule(context, "per-user").limits().standard().rate()).isEqualTo(Rate.parse("20/s"));
			assertThat(output)
				.containsOnlyOnce("The rule source 'table' cannot be read: java.io.IOException: no connection")
				.containsOnlyOnce("no connection to db.internal")
				.contains("What the following rule sources have returned before");
			this.table.set("extra", "rate", "5/m").failWith(null);
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			assertThat(output).containsOnlyOnce("The rules of all sources can be read again.");
		});
	}

	@Test
	void listenerThatFailsDoesNotPreventAReload(CapturedOutput output) {
		this.runner.run((context) -> {
			List<CompiledRules> replaced = new ArrayList<>();
			context.getBean(ActiveRules.class).whenReplaced((rules) -> {
				throw new IllegalStateException("broken listener");
			});
			context.getBean(ActiveRules.class).whenReplaced(replaced::add);
			this.table.set("extra", "rate", "5/m");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(replaced).hasSize(1);
			assertThat(output).contains("The rules were replaced, but a listener failed", "broken listener");
		});
	}

	@Test
	void nothingHasChangedIfTheRulesCannotBeCompiled() {
		AtomicBoolean broken = new AtomicBoolean(true);
		KeyResolver tenants = new KeyResolver() {

			@Override
			public String resolve(Caller caller) {
				return "a";
			}

			@Override
			public boolean needsAuthentication() {
				if (broken.get()) {
					throw new IllegalStateException("no tenants");
				}
				return false;
			}

		};
		this.runner.withBean("tenant", KeyResolver.class, () -> tenants).run((context) -> {
			this.table.set("extra", "rate", "5/m").set("extra", "scope", "tenant");
			ReloadResult result = context.getBean(RuleReloader.class).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(result.problems()).singleElement().asString().contains("no tenants");
			assertThat(ids(context)).containsExactly("per-user");
			assertThat(context.getBean(ConfiguredRules.class).rules().rules()).hasSize(1);
			broken.set(false);
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(ids(context)).containsExactly("per-user", "extra");
		});
	}

	@Test
	void programIsNotLimitedByARuleThatIsDisabledOrRemoved() {
		this.table.set("extra", "rate", "1/h").set("off", "rate", "1/h").set("off", "enabled", "false");
		this.runner.run((context) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(limiter.tryAcquire(PermitRequest.of("off")).decisions()).isEmpty();
			assertThat(limiter.tryAcquire(PermitRequest.of("extra")).allowed()).isTrue();
			assertThat(limiter.tryAcquire(PermitRequest.of("extra")).allowed()).isFalse();
			this.table.remove("extra");
			this.table.set("per-user", "enabled", "false");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			for (String inactive : List.of("extra", "off", "per-user")) {
				PermitRequest request = PermitRequest.of(inactive);
				assertThat(limiter.acquire(request).allowed()).isTrue();
				assertThat(limiter.peek(request).allowed()).isTrue();
				limiter.refund(request);
				limiter.syncRemaining(request, 0, Duration.ofSeconds(1));
				assertThat(limiter.reset(request)).isTrue();
				assertThat(limiter.resetAll(inactive)).isTrue();
			}
			assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(PermitRequest.of("never")))
				.withMessageStartingWith("Rule 'never' is not one of");
			this.table.set("extra", "rate", "1/h");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(limiter.tryAcquire(PermitRequest.of("extra")).decisions()).hasSize(1);
		});
	}

	@Test
	void applicationMayStartWithoutTheRulesOfSources(CapturedOutput output) {
		this.table.set("extra", "rate", "fast");
		this.runner.withPropertyValues("tierlimit.reload.on-startup-failure=ignore").run((context) -> {
			assertThat(ids(context)).containsExactly("per-user");
			assertThat(output).contains("The application starts without rules of rule sources.", "'fast'");
			assertThat(context.getBean(RuleReloader.class).last().outcome()).isEqualTo(Outcome.INVALID);
			assertThat(context.getBean(RuleReloader.class).last().problems()).isNotEmpty();
			this.table.set("extra", "rate", "5/m");
			assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
			assertThat(ids(context)).containsExactly("per-user", "extra");
		});
	}

	@Test
	void annotationMayNameARuleOfASourceThatFailsAtStartup() {
		this.table.failWith(new IOException("no connection"));
		this.runner.withBean(Named.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("The rule source 'table' cannot be read: java.io.IOException: no connection.")
				.hasMessageNotContaining("does not exist"));
		this.runner.withBean(Named.class)
			.withPropertyValues("tierlimit.reload.on-startup-failure=ignore")
			.run((context) -> {
				context.getBean(Named.class).call();
				context.getBean(Named.class).call();
				assertThat(context.getBean(RuleReloader.class).last().outcome()).isEqualTo(Outcome.UNAVAILABLE);
				this.table.failWith(null);
				this.table.set("named", "rate", "1/h").set("named", "applies-to", "code");
				assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
				context.getBean(Named.class).call();
				assertThatExceptionOfType(RateLimitExceededException.class)
					.isThrownBy(() -> context.getBean(Named.class).call());
			});
	}

	static class Named {

		@RateLimited("named")
		void call() {
		}

	}

}

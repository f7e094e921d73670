package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.tierlimit.RuleDefinition;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.AnnotatedBean;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.CurrentMode;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The mode of all rules: {@code tierlimit.mode}, rule sources, and the mode of one
 * instance.
 */
@ExtendWith(OutputCaptureExtension.class)
class ModeTests {

	private static final String IN_SHADOW = "All rules are in shadow mode (%s), so no request is rejected.";

	private final TestRuleSource table = new TestRuleSource("table").set("added", "rate", "5/m");

	private final ApplicationContextRunner runner = RuleReading.RUNNER
		.withPropertyValues("tierlimit.rules.configured.rate=10/s", "tierlimit.rules.quiet.rate=10/s",
				"tierlimit.rules.quiet.mode=shadow")
		.withBean("table", RuleSource.class, () -> this.table)
		.withBean(RuleDefinition.class, () -> RuleDefinition.of("defined").rate(1, Duration.ofSeconds(1)))
		.withUserConfiguration(AnnotatedBean.named("AnnotatedOrders", "place: rate=5/s; name=annotated"))
		.withBean("late", Object.class,
				() -> BeanUtils.instantiateClass(AnnotatedBean.named("LateOrders", "place: rate=5/s; name=late")),
				(bean) -> bean.setLazyInit(true));

	@Test
	void rulesHaveTheirOwnModesByDefault(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(inShadow(context)).containsExactly("quiet");
			assertThat(reloader(context).mode()).isEqualTo(new CurrentMode(RuleMode.ENFORCE, "default"));
			assertThat(output).doesNotContain("so no request is rejected");
		});
	}

	@Test
	void shadowModeOfTheConfigurationAppliesToTheRulesOfAllSources(CapturedOutput output) {
		this.runner.withPropertyValues("tierlimit.mode=shadow").run((context) -> {
			context.getBean("late");
			assertThat(inShadow(context)).containsExactlyInAnyOrder("configured", "quiet", "added", "defined",
					"annotated", "late");
			assertThat(output).containsOnlyOnce(IN_SHADOW.formatted("test"));
		});
	}

	@Test
	void modeIsReadWithEachReload(CapturedOutput output) {
		this.runner.run((context) -> {
			TestPropertyValues.of("tierlimit.mode=shadow").applyTo(context);
			assertThat(reloader(context).reload().outcome()).isEqualTo(Outcome.REPLACED);
			assertThat(inShadow(context)).hasSize(5);
			assertThat(reloader(context).reload().outcome()).isEqualTo(Outcome.UNCHANGED);
			assertThat(output).containsOnlyOnce(IN_SHADOW.formatted("test")).doesNotContain("were reloaded");
			TestPropertyValues.of("tierlimit.mode=enforce").applyTo(context);
			assertThat(reloader(context).reload().outcome()).isEqualTo(Outcome.REPLACED);
			assertThat(inShadow(context)).containsExactly("quiet");
			assertThat(output).containsOnlyOnce("Rules are enforced (test): each rule has its own mode.");
		});
	}

	@Test
	void sourceSetsTheModeOfAllRules() {
		this.table.set("*", "mode", "shadow");
		this.runner.withPropertyValues("tierlimit.mode=enforce").run((context) -> {
			assertThat(inShadow(context)).hasSize(5);
			assertThat(reloader(context).mode()).isEqualTo(new CurrentMode(RuleMode.SHADOW, "table, row '*'"));
			this.table.remove("*");
			assertThat(reloader(context).reload().outcome()).isEqualTo(Outcome.REPLACED);
			assertThat(inShadow(context)).containsExactly("quiet");
		});
	}

	@Test
	void sourceSetsNothingElseForAllRules() {
		this.runner.run((context) -> {
			this.table.set("*", "mode", "shadow").set("*", "rate", "1/s");
			ReloadResult result = reloader(context).reload();
			assertThat(result.outcome()).isEqualTo(Outcome.INVALID);
			assertThat(result.problems()).singleElement()
				.asString()
				.contains("'*' of table, row '*' sets rate, but only mode can be set for all rules");
			assertThat(inShadow(context)).containsExactly("quiet");
		});
	}

	@Test
	void invalidModeIsReported() {
		this.runner.withPropertyValues("tierlimit.mode=shadwo")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("tierlimit.mode must be one of enforce, shadow (was 'shadwo')"));
		this.runner.run((context) -> {
			this.table.set("*", "mode", "off");
			assertThat(reloader(context).reload().problems()).singleElement()
				.asString()
				.contains("tierlimit.mode must be one of enforce, shadow (was 'off')", "table, row '*'");
		});
	}

	@Test
	void modeOfTheInstanceIsAboveAllSources(CapturedOutput output) {
		this.runner.run((context) -> {
			CurrentMode mode = reloader(context).setMode(RuleMode.SHADOW);
			assertThat(mode).isEqualTo(new CurrentMode(RuleMode.SHADOW, "management endpoint"))
				.isEqualTo(reloader(context).mode());
			assertThat(output).containsOnlyOnce(IN_SHADOW.formatted("management endpoint"));
			this.table.set("*", "mode", "enforce").set("added", "rate", "6/m");
			assertThat(reloader(context).reload().outcome()).isEqualTo(Outcome.REPLACED);
			assertThat(inShadow(context)).hasSize(5);
			this.table.set("*", "mode", "shadow");
			reloader(context).reload();
			reloader(context).setMode(RuleMode.ENFORCE);
			assertThat(inShadow(context)).containsExactly("quiet");
			assertThat(reloader(context).setMode(null)).isEqualTo(new CurrentMode(RuleMode.SHADOW, "table, row '*'"));
			assertThat(inShadow(context)).hasSize(5);
		});
	}

	@Test
	void modeOfTheInstanceNeedsNoValidRulesAndNoSource() {
		this.runner.run((context) -> {
			this.table.set("added", "rate", "fast");
			assertThat(reloader(context).reload().outcome()).isEqualTo(Outcome.INVALID);
			this.table.failWith(new IOException("no connection"));
			reloader(context).setMode(RuleMode.SHADOW);
			assertThat(inShadow(context)).hasSize(5);
			reloader(context).setMode(null);
			assertThat(inShadow(context)).containsExactly("quiet");
		});
	}

	@Test
	@Timeout(60)
	void modeOfTheInstanceDoesNotWaitForASource() {
		this.runner.run((context) -> {
			this.table.set("added", "rate", "6/m").beforeRead(() -> {
				CompletableFuture.runAsync(() -> reloader(context).setMode(RuleMode.SHADOW)).get(30, TimeUnit.SECONDS);
				assertThat(inShadow(context)).as("during the reload").hasSize(5);
			});
			assertThat(reloader(context).reload().outcome()).isEqualTo(Outcome.REPLACED);
			assertThat(inShadow(context)).as("after the reload").hasSize(5);
		});
	}

	private static RuleReloader reloader(ApplicationContext context) {
		return context.getBean(RuleReloader.class);
	}

	private static List<String> inShadow(ApplicationContext context) {
		return context.getBean(ActiveRules.class)
			.current()
			.all()
			.stream()
			.map((rule) -> rule.rule())
			.filter((rule) -> rule.isShadow())
			.map((rule) -> rule.id())
			.toList();
	}

}

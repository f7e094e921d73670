package io.tierlimit.autoconfigure.rules;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.tierlimit.RuleMode;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.OverrideEditor.Edit;
import io.tierlimit.evaluation.OverrideEditor.Placed;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.junit.Poll;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.spi.RuleSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.tierlimit.autoconfigure.rules.ContextRules.reload;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Edits of overrides, including edits while the rules are reloaded.
 */
@ExtendWith(OutputCaptureExtension.class)
class OverrideEditTests extends OverrideTestSetup {

	private static final Map<String, String> BLOCKED = Map.of("user", "mallory", "blocked", "true");

	/** A single part is used exactly as it is written. */
	@Test
	void partsOfAKeyAreStoredOneByOne() {
		this.withTable.run((context) -> {
			editor(context).set("key", Map.of("key", "user:acme", "rules", "per-user", "blocked", "true"));
			assertThat(this.table.overrides.get("key")).containsEntry("key[0]", "user:acme").doesNotContainKey("key");
			assertThat(allows(context, "acme")).isFalse();
			editor(context).set("o", Map.of("key[0]", "user:victim ", "rules", "per-user", "blocked", "true"));
			assertThat(allows(context, "victim")).isTrue();
			assertThat(allows(context, "victim ")).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "user:", "user: " })
	void partOfAKeyWithoutAValueIsRejected(String part) {
		String problem = "key has the part '" + part + "', whose value is empty";
		Map<String, String> properties = Map.of("key[0]", part, "rules", "per-user", "unlimited", "true");
		this.withTable.run((context) -> {
			assertInvalid(editor(context).set("o", properties), problem);
			this.table.override("p", properties);
			assertThat(reload(context)).isEqualTo(Outcome.INVALID);
			assertThat(context.getBean(RuleReloader.class).last().problems()).singleElement()
				.asString()
				.contains(problem, "(table, override 'p')");
		});
	}

	@Test
	void editTakesEffectAndSurvivesAReload() {
		this.runner.withPropertyValues("tierlimit.overrides.acme.user=acme", "tierlimit.overrides.acme.unlimited=true")
			.run((context) -> {
				OverrideEditor editor = editor(context);
				Edit edit = editor.set("acme", Map.of("user", "acme", "blocked", "true"));
				assertThat(edit.outcome()).isEqualTo(Edit.Outcome.DONE);
				assertThat(edit.before()).extracting((placed) -> placed.override().effect(), Placed::origin)
					.containsExactly(Effect.UNLIMITED, "test");
				assertThat(edit.after()).extracting((placed) -> placed.override().effect(), Placed::origin)
					.containsExactly(Effect.BLOCKED, "management endpoint");
				assertThat(editor.originOf(override(context, "acme"))).isEqualTo("management endpoint");
				assertThat(allows(context, "acme")).isFalse();
				context.getBean(RuleReloader.class).reload();
				assertThat(allows(context, "acme")).isFalse();
				Edit removal = editor.remove("acme");
				assertThat(removal.outcome()).isEqualTo(Edit.Outcome.DONE);
				assertThat(removal.before()).extracting(Placed::origin).isEqualTo("management endpoint");
				assertThat(removal.after()).extracting((placed) -> placed.override().effect())
					.isEqualTo(Effect.UNLIMITED);
				assertThat(editor.remove("acme").outcome()).isEqualTo(Edit.Outcome.INVALID);
				assertThat(editor.remove("acme").problems()).singleElement()
					.asString()
					.contains("Override 'acme' was not set through the management endpoint", "(test)");
				assertThat(editor.remove("missing").outcome()).isEqualTo(Edit.Outcome.UNKNOWN);
			});
	}

	@Test
	void editThatIsNotValidChangesNothing(CapturedOutput output) {
		Map<String, String> blocked = Map.of("user", "acme", "blocked", "true");
		this.withTable.run((context) -> {
			assertInvalid(editor(context).set("acme", Map.of("user", "acme")),
					"Override 'acme': exactly one of rate, limit, unlimited and blocked must be set");
			assertInvalid(editor(context).set("a b", blocked), "Override 'a b': the id must have 1 to 100 letters");
			this.table.failureOfStore = new IllegalArgumentException("user must not contain a line break");
			assertInvalid(editor(context).set("acme", blocked), "Override 'acme': user must not contain a line break.");
			assertThat(output).doesNotContain("cannot be stored");
			assertThat(overrides(context)).isEmpty();
			assertThat(this.table.overrides).isEmpty();
		});
	}

	@Test
	void editIsStoredInTheFirstStoreThatThereIs() {
		this.withTable.run((context) -> {
			OverrideEditor editor = editor(context);
			editor.set("acme", Map.of("user", "acme", "blocked", "true"));
			assertThat(this.table.overrides).containsKey("acme");
			assertThat(editor.originOf(override(context, "acme"))).isEqualTo("table, override 'acme'");
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			editor.remove("acme");
			assertThat(this.table.overrides).isEmpty();
			assertThat(allows(context, "acme")).isTrue();
		});
	}

	@Test
	void editHasTheSpellingOfTheStore() {
		this.table.override("acme-import", Map.of("user", "acme", "unlimited", "true"));
		this.withTable.run((context) -> {
			OverrideEditor editor = editor(context);
			Edit edit = editor.set("AcmeImport",
					Map.of("USER", "acme", "blocked", " yes ", "rate", " ", "until", " 2999-01-01T00:00:00Z "));
			assertThat(edit.before()).extracting((placed) -> placed.override().effect()).isEqualTo(Effect.UNLIMITED);
			assertThat(this.table.overrides).isEqualTo(
					Map.of("acme-import", Map.of("user", "acme", "blocked", "true", "until", "2999-01-01T00:00:00Z")));
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			assertThat(editor.remove("ACME_IMPORT").outcome()).isEqualTo(Edit.Outcome.DONE);
			assertThat(this.table.overrides).isEmpty();
		});
	}

	@Test
	void editThatCannotBeStoredChangesNothing(CapturedOutput output) {
		this.withTable.run((context) -> {
			this.table.failureOfStore = new IllegalStateException("secret-host is down");
			Edit edit = editor(context).set("acme", Map.of("user", "acme", "blocked", "true"));
			assertThat(edit.outcome()).isEqualTo(Edit.Outcome.UNAVAILABLE);
			assertThat(edit.problems()).containsExactly("Override 'acme' cannot be stored. The log has the cause.");
			assertThat(output).contains("secret-host is down");
			assertThat(allows(context, "acme")).isTrue();
		});
	}

	/** The two rows may have been written on different instances. */
	@Test
	void overlapOfRowsIsAWarning() {
		this.table.override("a", Map.of("user", "acme", "blocked", "true"))
			.override("b", Map.of("user", "acme", "unlimited", "true"));
		this.withTable.run((context) -> {
			assertThat(allows(context, "acme")).isFalse();
			assertThat(context.getBean(ConfiguredRules.class).warnings()).singleElement()
				.asString()
				.startsWith("Override 'b': override 'a' is for the same caller, and for the same rules, so it does not "
						+ "apply. Merge them, and remove override 'b' (table, override 'b').");
			Edit edit = editor(context).set("c", Map.of("user", "acme", "unlimited", "true"));
			assertThat(edit.problems()).singleElement().asString().contains("override 'a' is for the same caller");
			assertThat(editor(context).set("d", Map.of("user", "other", "unlimited", "true")).outcome())
				.isEqualTo(Edit.Outcome.DONE);
		});
	}

	@Test
	void editThatOverlapsNamesTheOtherOverride() {
		this.runner.run((context) -> {
			OverrideEditor editor = editor(context);
			editor.set("a", Map.of("user", "acme", "blocked", "true"));
			assertThat(editor.set("b", Map.of("user", "acme", "unlimited", "true")).problems())
				.containsExactly("Override 'b': override 'a' is for the same caller, and for the same rules. "
						+ "Change or remove override 'a', or correct override 'b' (management endpoint).");
		});
	}

	@Test
	void overrideThatHasEndedDoesNotPreventAnother() {
		for (ApplicationContextRunner each : List.of(this.runner, this.withTable)) {
			this.now = Instant.parse("2029-01-01T00:00:00Z");
			each.withBean(Clock.class, () -> this.clock).run((context) -> {
				OverrideEditor editor = editor(context);
				editor.set("one", Map.of("user", "acme", "unlimited", "true", "until", "2029-01-01T00:00:03Z"));
				Map<String, String> blocked = Map.of("user", "acme", "blocked", "true");
				assertThat(editor.set("two", blocked).outcome()).isEqualTo(Edit.Outcome.INVALID);
				this.now = Instant.parse("2029-01-01T00:00:03Z");
				assertThat(editor.set("two", blocked).outcome()).isEqualTo(Edit.Outcome.DONE);
				assertThat(allows(context, "acme")).isFalse();
				assertThat(context.getBean(RuleReloader.class).reload().problems()).isEmpty();
				assertThat(context.getBean(ConfiguredRules.class).warnings()).isEmpty();
				assertThat(allows(context, "acme")).isFalse();
			});
		}
	}

	/** An operator can block a caller while a row of another operator is broken. */
	@Test
	void editDoesNotDependOnABrokenRuleOfASource() {
		this.table.override("acme", Map.of("user", "acme", "unlimited", "true"));
		this.withTable.run((context) -> {
			this.table.set("broken", "rate", "x");
			OverrideEditor editor = editor(context);
			assertThat(editor.set("bad", Map.of("user", "mallory", "blocked", "true")).outcome())
				.isEqualTo(Edit.Outcome.DONE);
			assertThat(allows(context, "mallory")).isFalse();
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactly("acme", "bad");
		});
	}

	/** Another instance has edited the override. */
	@Test
	void overridesOfASourceTakeEffectWhileOneOfItsRulesIsNotValid() {
		this.table.override("acme", Map.of("user", "acme", "unlimited", "true"));
		this.withTable.run((context) -> {
			RuleReloader reloader = context.getBean(RuleReloader.class);
			this.table.set("broken", "rate", "x");
			this.table.override("bad", Map.of("user", "mallory", "blocked", "true"));
			this.table.overrides.remove("acme");
			assertThat(reloader.reload().outcome()).isEqualTo(Outcome.INVALID);
			assertThat(allows(context, "mallory")).isFalse();
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactly("bad");
			assertThat(context.getBean(ActiveRules.class).current().rule("broken")).isNull();
			assertThat(reloader.reload().outcome()).as("the rule is still broken").isEqualTo(Outcome.INVALID);
			this.table.override("acme", Map.of("user", "acme", "rules", "broken", "unlimited", "true"));
			assertThat(reloader.reload().outcome()).isEqualTo(Outcome.INVALID);
			assertThat(overrides(context)).as("an override of the broken rule")
				.extracting(CallerOverride::id)
				.containsExactly("bad");
			this.table.set("broken", "rate", "1/s");
			assertThat(reloader.reload().outcome()).isEqualTo(Outcome.REPLACED);
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactlyInAnyOrder("acme", "bad");
		});
	}

	@Test
	void editMayNameARuleOfItsStoreIfTheStoreWasNeverRead() {
		this.table.failWith(new IllegalStateException("no connection"));
		this.withTable.withPropertyValues("tierlimit.reload.on-startup-failure=ignore").run((context) -> {
			OverrideEditor editor = editor(context);
			for (String user : List.of("a", "b")) {
				assertThat(editor.set(user, Map.of("user", user, "rules", "row", "unlimited", "true")).outcome())
					.isEqualTo(Edit.Outcome.DONE);
			}
			assertThat(reload(context)).isEqualTo(Outcome.UNAVAILABLE);
			assertThat(overrides(context)).extracting(CallerOverride::id).containsExactlyInAnyOrder("a", "b");
		});
	}

	@Test
	@Timeout(60)
	void editDoesNotWaitForASourceAndIsNotUndoneByItsReload() {
		for (ApplicationContextRunner each : List.of(this.runner, this.withTable)) {
			TestRuleSource slow = new TestRuleSource("slow");
			each.withBean("slow", RuleSource.class, () -> slow).run((context) -> {
				OverrideEditor editor = editor(context);
				slow.set("more", "rate", "1/s").beforeRead(() -> onAnotherThread(() -> {
					assertThat(editor.set("bad", BLOCKED).outcome()).isEqualTo(Edit.Outcome.DONE);
					assertThat(allows(context, "mallory")).as("during the reload").isFalse();
				}));
				assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
				assertThat(allows(context, "mallory")).isFalse();
				slow.set("more", "rate", "2/s").beforeRead(() -> onAnotherThread(() -> {
					assertThat(editor.remove("bad").outcome()).isEqualTo(Edit.Outcome.DONE);
					assertThat(allows(context, "mallory")).as("during the reload").isTrue();
				}));
				assertThat(reload(context)).isEqualTo(Outcome.REPLACED);
				assertThat(allows(context, "mallory")).isTrue();
			});
		}
	}

	@ParameterizedTest
	@CsvSource({ "1/s, UNAVAILABLE", "fast, INVALID" })
	void editDuringAReloadRemainsActiveIfItsStoreCannotBeReadThen(String rate, ReloadResult.Outcome outcome) {
		TestRuleSource slow = new TestRuleSource("slow");
		this.withTable.withBean("slow", RuleSource.class, () -> slow).run((context) -> {
			slow.set("more", "rate", rate).beforeRead(() -> {
				editor(context).set("bad", BLOCKED);
				this.table.failWith(new IllegalStateException("no connection"));
			});
			assertThat(reload(context)).isEqualTo(outcome);
			assertThat(allows(context, "mallory")).isFalse();
		});
	}

	@Test
	@Timeout(60)
	void editAfterItsStoreWasReadIsNotUndoneByTheReload() {
		this.withTable.run((context) -> {
			Thread edit = new Thread(() -> editor(context).set("bad", BLOCKED));
			this.table.afterRead = () -> startAndAwait(edit);
			assertThat(reload(context)).isEqualTo(Outcome.UNCHANGED);
			edit.join();
			assertThat(this.table.overrides).containsKey("bad");
			assertThat(allows(context, "mallory")).isFalse();
		});
	}

	@Test
	@Timeout(60)
	void reloadWhileAnEditIsStoredIsNotUndoneByTheEdit() {
		this.withTable.run((context) -> {
			this.table.set("more", "rate", "1/s");
			Thread reload = new Thread(() -> reload(context));
			this.table.beforeStore = () -> startAndAwait(reload);
			assertThat(editor(context).set("bad", BLOCKED).outcome()).isEqualTo(Edit.Outcome.DONE);
			reload.join();
			assertThat(allows(context, "mallory")).isFalse();
			assertThat(context.getBean(ActiveRules.class).current().rule("more")).isNotNull();
		});
	}

	@Test
	@Timeout(60)
	void modeOfTheInstanceDoesNotWaitForAnEditAndIsNotUndoneByIt() {
		this.withTable.run((context) -> {
			this.table.beforeStore = () -> onAnotherThread(() -> {
				context.getBean(RuleReloader.class).setMode(RuleMode.SHADOW);
				assertThat(isInShadow(context)).as("during the edit").isTrue();
			});
			assertThat(editor(context).set("bad", BLOCKED).outcome()).isEqualTo(Edit.Outcome.DONE);
			assertThat(isInShadow(context)).isTrue();
			context.getBean(RuleReloader.class).setMode(null);
			assertThat(allows(context, "mallory")).isFalse();
		});
	}

	private static boolean isInShadow(AssertableApplicationContext context) {
		return context.getBean(ActiveRules.class).current().all().stream().allMatch((rule) -> rule.rule().isShadow());
	}

	/**
	 * Runs an action on another thread, and waits for its end. The action would block if
	 * this thread had a lock that the action requires.
	 */
	private static void onAnotherThread(Runnable action) throws Exception {
		CompletableFuture.runAsync(action).get(30, TimeUnit.SECONDS);
	}

	/** Starts a thread, and waits until it has ended or waits for a lock. */
	private static void startAndAwait(Thread thread) {
		thread.start();
		Poll.until(Duration.ofSeconds(30),
				() -> Set.of(Thread.State.BLOCKED, Thread.State.TERMINATED).contains(thread.getState()),
				() -> "the thread is " + thread.getState());
	}

}

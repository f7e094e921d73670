package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.TestEvaluator;
import io.tierlimit.evaluation.TestEvaluators;
import io.tierlimit.junit.Poll;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.DelegatingBucketStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the thread of the updates exists only while it is needed.
 */
@ExtendWith(OutputCaptureExtension.class)
class AdaptiveRateUpdaterTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Rule ADAPTIVE = AdaptiveRules.rule("adaptive", 100, 10).withErrors(0).build();

	private static final Rule CONSTANT = new Rule("constant", ADAPTIVE.selection(), ADAPTIVE.scope(),
			new RuleLimits(new TokenBucket(Rate.parse("1/s"))));

	private final BucketStore store = TestEvaluators.memory(100);

	private final TestEvaluator evaluator = TestEvaluators.of(this.store, CONSTANT);

	private final AdaptiveRateUpdater updater = this.evaluator.updater(this.store);

	private Set<Thread> others = Set.of();

	@BeforeEach
	void start() {
		this.others = all();
		this.updater.start();
	}

	@AfterEach
	void close() {
		this.updater.close();
	}

	@Test
	void threadFollowsTheCurrentRules() {
		assertThat(threads()).isEmpty();
		this.evaluator.replace(ADAPTIVE);
		assertThat(threads()).hasSize(1).allMatch(Thread::isDaemon);
		this.evaluator.replace(ADAPTIVE, CONSTANT);
		assertThat(threads()).hasSize(1);
		this.evaluator.replace(CONSTANT);
		awaitNoThread();
	}

	@Test
	void ruleThatIsFoundLateStartsTheThread() {
		this.evaluator.add(ADAPTIVE, Set.of());
		assertThat(threads()).hasSize(1);
	}

	@Test
	void ruleThatIsAddedToAReplacedSetStartsNoThread() {
		CompiledRules replaced = this.evaluator.activeRules().current();
		this.evaluator.replace();
		replaced.option(AdaptiveRates.class).of(ADAPTIVE);
		assertThat(threads()).isEmpty();
	}

	@Test
	void noThreadIsLeftAfterTheEnd() {
		this.evaluator.replace(ADAPTIVE);
		this.updater.close();
		awaitNoThread();
		this.evaluator.replace(ADAPTIVE);
		assertThat(threads()).isEmpty();
	}

	@Test
	void updateThatFailsIsLoggedOnceAndTheNextOneFollows(CapturedOutput output) {
		BucketStore failing = new DelegatingBucketStore(this.store) {

			@Override
			public AcquireResult peek(List<Charge> charges) {
				throw new IllegalStateException("on purpose");
			}

		};
		AdaptiveRateUpdater updates = TestEvaluators.of(failing, ADAPTIVE).updater(failing);
		updates.update();
		updates.update();
		assertThat(output).containsOnlyOnce("The adaptive rates were not updated. The next update follows.");
	}

	private void awaitNoThread() {
		Poll.until(PATIENCE, () -> threads().isEmpty(), () -> "threads: " + threads());
	}

	private Set<Thread> threads() {
		Set<Thread> threads = all();
		threads.removeAll(this.others);
		return threads;
	}

	private static Set<Thread> all() {
		Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
		threads.removeIf((thread) -> !thread.getName().equals("tierlimit-adaptive"));
		return threads;
	}

}

package io.tierlimit.benchmarks;

import java.util.Collection;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls each JMH benchmark once, so that it cannot break unnoticed. Does not measure
 * anything.
 */
class SmokeTests {

	@Test
	void everyBenchmarkRunsOnceWithoutAnError() throws RunnerException {
		assertThat(run(once().param("listeners", "none"))).hasSizeGreaterThan(20);
	}

	/** The listeners do not depend on the rules. */
	@Test
	void requestsWithListenersRunOnceWithoutAnError() throws RunnerException {
		assertThat(run(once().include("RequestBenchmark")
			.param("rules", "4-tiers")
			.param("listeners", "meters", "observations"))).hasSizeGreaterThan(2);
	}

	private static ChainedOptionsBuilder once() {
		return new OptionsBuilder().mode(Mode.SingleShotTime)
			.forks(0)
			.warmupIterations(0)
			.measurementIterations(1)
			.shouldFailOnError(true)
			.verbosity(VerboseMode.SILENT);
	}

	private static Collection<RunResult> run(ChainedOptionsBuilder options) throws RunnerException {
		System.setProperty("jmh.ignoreLock", "true");
		Collection<RunResult> results = new Runner(options.build()).run();
		assertThat(results).allSatisfy((result) -> assertThat(result.getPrimaryResult().getSampleCount()).isPositive());
		return results;
	}

}

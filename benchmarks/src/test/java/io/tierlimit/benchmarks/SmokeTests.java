package io.tierlimit.benchmarks;

import java.util.Collection;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
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
		System.setProperty("jmh.ignoreLock", "true");
		Options once = new OptionsBuilder().mode(Mode.SingleShotTime)
			.forks(0)
			.warmupIterations(0)
			.measurementIterations(1)
			.shouldFailOnError(true)
			.verbosity(VerboseMode.SILENT)
			.build();
		Collection<RunResult> results = new Runner(once).run();
		assertThat(results).hasSizeGreaterThan(20)
			.allSatisfy((result) -> assertThat(result.getPrimaryResult().getSampleCount()).isPositive());
	}

}

package io.tierlimit.limit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the plots of docs/algorithms.md match the code. Run with the system property
 * {@code docs.write} to draw them again.
 */
@Tag("conventions")
class AlgorithmPlotTests {

	private static final Path DOCS = Path.of("../../docs");

	private static final Rate RATE = Rate.parse("10/m");

	/** A limit of each algorithm, and the heading of its plot. */
	private static final Map<String, Limit> LIMITS = Map.of("Token bucket, 10/m, burst 10", new TokenBucket(RATE),
			"Fixed window, 10/m, start 0s", new FixedWindow(RATE, 10, Duration.ZERO), "Sliding window, 10/m",
			new SlidingWindow(RATE), "Sliding log, 10/m", new SlidingLog(RATE), "Leaky bucket, 10/m",
			new LeakyBucket(RATE));

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "CONCURRENCY")
	void plotMatchesTheCode(Algorithm algorithm) throws IOException {
		Map.Entry<String, Limit> drawn = LIMITS.entrySet()
			.stream()
			.filter((limit) -> limit.getValue().algorithm() == algorithm)
			.findAny()
			.orElseThrow(() -> new AssertionError(algorithm + " has no limit to draw"));
		String plot = AlgorithmPlot.draw(drawn.getKey(), drawn.getValue());
		Path file = DOCS.resolve(image(algorithm));
		if (System.getProperty("docs.write") != null) {
			Files.writeString(file, plot);
		}
		assertThat(file).content().as("run with -Ddocs.write=1 to draw it again").isEqualToNormalizingNewlines(plot);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "CONCURRENCY")
	void plotIsShown(Algorithm algorithm) throws IOException {
		assertThat(Files.readString(DOCS.resolve("algorithms.md"))).contains("](" + image(algorithm) + ")");
	}

	@Test
	void everyRequestIsDrawn() {
		List<Long> moments = PlottedTraffic.moments();
		String plot = AlgorithmPlot.draw("", new TokenBucket(RATE));
		assertThat(plot.split("h[45]v[45]h-[45]z", -1)).hasSize(moments.size() + 1);
		BucketState bucket = new BucketState(0);
		long passed = moments.stream()
			.filter((moment) -> new TokenBucket(RATE).acquire(bucket, 1, moment).allowed())
			.count();
		assertThat(plot.split("h5v5h-5z", -1)).hasSize((int) passed + 1);
	}

	private static String image(Algorithm algorithm) {
		return "images/algorithm-" + algorithm.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".svg";
	}

}

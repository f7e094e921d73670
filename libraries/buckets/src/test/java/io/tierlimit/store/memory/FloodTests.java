package io.tierlimit.store.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.tierlimit.junit.Rounds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a {@link Flood} in a separate process with little memory.
 */
@Tag("slow")
class FloodTests {

	private static final int KEYS_PER_BUCKET = 4;

	@TempDir
	private Path directory;

	static Stream<Arguments> sizes() {
		return Stream.of(Arguments.of("128m", 100_000), Arguments.of("512m", 1_000_000)).limit(Rounds.of(1, 2));
	}

	@ParameterizedTest
	@MethodSource("sizes")
	void newKeysShareABucketOnceAllBucketsAreEnforced(String memory, int maxBuckets) throws Exception {
		List<String> output = flood(memory, maxBuckets, 1);
		int overflows = KEYS_PER_BUCKET * maxBuckets + 1 - maxBuckets;
		assertThat(output).contains("attacked bucket first admitted 5", "attacked bucket then admitted 0",
				"size " + maxBuckets, "evictions 0", "overflows " + overflows);
		assertThat(output.stream().filter((line) -> line.contains("share one bucket"))).singleElement()
			.asString()
			.contains("WARN");
	}

	@ParameterizedTest
	@MethodSource("sizes")
	void keysWithRemainingPermitsEvictEachOther(String memory, int maxBuckets) throws Exception {
		List<String> output = flood(memory, maxBuckets, 10);
		int evictions = KEYS_PER_BUCKET * maxBuckets + 1 - maxBuckets;
		assertThat(output).contains("attacked bucket first admitted 5", "attacked bucket then admitted 0",
				"size " + maxBuckets, "evictions " + evictions, "overflows 0");
	}

	@Test
	void logsTakeNoMoreMemoryThanBuckets() throws Exception {
		assertThat(run("32m", LogFlood.class)).contains("most admitted 400", "kept within the bound true");
	}

	private List<String> flood(String memory, int maxBuckets, int burst) throws IOException, InterruptedException {
		return run(memory, Flood.class, Integer.toString(maxBuckets), Integer.toString(KEYS_PER_BUCKET * maxBuckets),
				Integer.toString(burst));
	}

	private List<String> run(String memory, Class<?> program, String... args) throws IOException, InterruptedException {
		Path java = Path.of(System.getProperty("java.home"), "bin", "java");
		Path output = this.directory.resolve("output");
		List<String> command = new ArrayList<>(List.of(java.toString(), "-Xmx" + memory, "-XX:+ExitOnOutOfMemoryError",
				"-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), program.getName()));
		command.addAll(List.of(args));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("ended").isTrue();
			List<String> lines = Files.readAllLines(output);
			assertThat(process.exitValue()).as("%s", lines).isZero();
			return lines;
		}
		finally {
			process.destroyForcibly();
		}
	}

}

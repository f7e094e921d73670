package io.tierlimit.benchmarks.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the benchmarks of one server once, in a separate process like their script, so
 * that they cannot break unnoticed. Does not measure anything.
 */
@Tag("slow")
class RedisBenchmarksTests {

	@Test
	void everyLibraryChecksRequests() throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Dthreads=2", "-Drounds=1", "-Dslice=20", "-cp", System.getProperty("java.class.path"),
				RedisBenchmarks.class.getName(), ".* tiers?|rejections")
			.redirectErrorStream(true)
			.start();
		ByteArrayOutputStream output = new ByteArrayOutputStream();
		try {
			process.getInputStream().transferTo(output);
			process.waitFor();
		}
		finally {
			process.destroyForcibly();
		}
		String text = output.toString(StandardCharsets.UTF_8);
		assertThat(process.exitValue()).as(text).isZero();
		for (String library : List.of("GET", "reference", "Tierlimit", "bucket4j", "Redisson",
				"Spring Cloud Gateway")) {
			assertThat(text).contains(library);
		}
	}

}

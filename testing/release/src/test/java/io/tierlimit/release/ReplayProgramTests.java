package io.tierlimit.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the executable jar of the replay.
 */
class ReplayProgramTests {

	private static final Path EXAMPLE = Module.PROJECT.resolve("replay/src/test/resources/example").toAbsolutePath();

	private static final String NEW = EXAMPLE.resolve("rules-new.yml").toString();

	private static final String OLD = EXAMPLE.resolve("rules-old.yml").toString();

	@TempDir
	private Path directory;

	/** 100 requests in a second. The new rules allow 20, and the old rules 50. */
	@BeforeEach
	void writeLog() throws IOException {
		Files.writeString(this.directory.resolve("access.log"),
				"198.51.100.23 - - [23/Nov/2026:08:00:00 +0000] \"GET / HTTP/1.1\" 200 12\n".repeat(100));
	}

	@Test
	void reportIsJsonAndAPageAndTheExitStatusShowsThatAThresholdIsExceeded() throws Exception {
		Run run = run(NEW, "--against", OLD, "access.log", "--max-rejected", "79%", "--json", "--plot", "plot.html");
		assertThat(run.errors()).isEmpty();
		assertThat(run.output()).startsWith("{").contains("\"rejected\" : 80", "\"rejected\" : 50");
		assertThat(this.directory.resolve("plot.html")).content().contains("<svg");
		assertThat(run.status()).isEqualTo(1);
	}

	@Test
	void mistakesAreReportedWithoutAStackTrace() throws Exception {
		Files.writeString(this.directory.resolve("rules.yml"), "tierlimit.rules.r: { scope: ip, rate: fast }\n");
		Run run = run("rules.yml", "access.log");
		assertThat(run.errors().lines()).singleElement()
			.asString()
			.startsWith("rules.yml: Rule 'r': rate must be")
			.contains("'fast'", "tierlimit.rules.r.rate (rules.yml, line 1)");
		assertThat(run.output()).isEmpty();
		assertThat(run.status()).isEqualTo(2);
	}

	private Run run(String... arguments) throws IOException, InterruptedException {
		Path jar = Module.published()
			.stream()
			.filter((module) -> module.artifactId().equals("tierlimit-replay"))
			.findFirst()
			.orElseThrow()
			.jar("-exec")
			.toRealPath();
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar.toString()));
		command.addAll(List.of(arguments));
		Path output = this.directory.resolve("output.txt");
		Path errors = this.directory.resolve("errors.txt");
		Process process = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectOutput(output.toFile())
			.redirectError(errors.toFile())
			.start();
		return new Run(process.waitFor(), Files.readString(output), Files.readString(errors));
	}

	private record Run(int status, String output, String errors) {

	}

}

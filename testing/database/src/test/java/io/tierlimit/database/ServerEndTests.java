package io.tierlimit.database;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the servers end with the JVM, and leave no files.
 */
@Tag("slow")
class ServerEndTests {

	@Test
	void serversAndTheirDirectoriesEndWithTheJvm() throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Servers.class.getName())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		List<Path> directories = output.lines()
			.filter((line) -> line.startsWith("directory "))
			.map((line) -> Path.of(line.substring("directory ".length())))
			.toList();
		assertThat(directories).hasSize(2).allSatisfy((directory) -> {
			assertThat(directory).doesNotExist();
			assertThat(ProcessHandle.allProcesses()
				.filter((other) -> other.info().commandLine().orElse("").contains(directory.toString()))).isEmpty();
		});
	}

	/** A program that starts the servers, and ends without closing them. */
	static final class Servers {

		private Servers() {
		}

		public static void main(String[] arguments) {
			// In the meantime, the tests in another JVM prepare PostgreSQL.
			System.out.println("directory " + MariaDb.server().directory());
			System.out.println("directory " + PostgreSql.server().directory());
		}

	}

}

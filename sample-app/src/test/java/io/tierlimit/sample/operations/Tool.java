package io.tierlimit.sample.operations;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A program of Prometheus, on the {@code PATH} or at the place in the environment
 * variable with its name.
 */
enum Tool {

	PROMETHEUS, PROMTOOL;

	private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

	String path() {
		String named = System.getenv(name());
		return (named != null) ? named : path(System.getenv("PATH"));
	}

	/**
	 * Searches directories. If the program is missing, the exception names the package to
	 * install.
	 */
	String path(String directories) {
		String program = name().toLowerCase(Locale.ROOT);
		return SEPARATOR.splitAsStream(directories)
			.map((directory) -> Path.of(directory, program))
			.filter(Files::isExecutable)
			.map(Path::toString)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("There is no " + program + " on the PATH: install Prometheus"
					+ " (Debian, Ubuntu: apt-get install prometheus; macOS: brew install prometheus), or name the"
					+ " program in the environment variable " + name()));
	}

	/**
	 * Runs the program, and returns its output. If it fails, the exception has the
	 * output.
	 */
	String run(String... arguments) {
		List<String> command = Stream.concat(Stream.of(path()), Stream.of(arguments)).toList();
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new AssertionError(String.join(" ", command) + "\n" + output);
			}
			return output;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted: " + command, ex);
		}
	}

}

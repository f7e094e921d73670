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
 * A program that comes with Prometheus: on the {@code PATH}, or where the environment
 * variable of its name says.
 */
enum Tool {

	PROMETHEUS, PROMTOOL;

	private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

	String path() {
		String named = System.getenv(name());
		return (named != null) ? named : path(System.getenv("PATH"));
	}

	/** Looks through directories; says what to install where it isn't in any. */
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

	/** Runs it to its end, and returns what it prints; throws that where it fails. */
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

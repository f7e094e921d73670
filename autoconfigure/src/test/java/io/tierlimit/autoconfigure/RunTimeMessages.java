package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.MainSources;

/**
 * The messages that the main code logs, as its sources contain them: {@code …} replaces
 * each expression in a message.
 */
final class RunTimeMessages {

	private static final Pattern CONCATENATION = Pattern.compile("(?<=[^\"\\\\])\"\\s*\\+[^\";]*?\\+\\s*\"");

	private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");

	private static final Pattern CALL = Pattern
		.compile("(?:\\b(?:logger|\\w*[wW]arnings|failures|misfits|foreignValues)\\s*\\.(?:warn|error)"
				+ "|new RetriedStep)\\(([^;]*\"[^\";]{20,}\"[^;]*);");

	/** Classes that log the messages of their callers. */
	private static final Set<String> FORWARDING = Set.of("RetriedStep.java", "StartupReport.java",
			"VerdictPublisher.java");

	private RunTimeMessages() {
	}

	/** All strings of the sources. */
	static Stream<String> texts() {
		return MainSources.files()
			.stream()
			.map(RunTimeMessages::read)
			.flatMap((source) -> TEXT.matcher(source).results())
			.map((text) -> text.group(1));
	}

	/** The arguments of each call that logs a warning or an error. */
	static Stream<String> logged() {
		return MainSources.files()
			.stream()
			.filter((file) -> !FORWARDING.contains(file.getFileName().toString()))
			.map(RunTimeMessages::read)
			.flatMap((source) -> CALL.matcher(source).results())
			.map((call) -> call.group(1).replaceAll("\\s+", " "));
	}

	/**
	 * The sources of the tests of this module, which contain the problems that they
	 * expect.
	 */
	static List<String> ofTests() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
			return files.filter((file) -> file.toString().endsWith("Tests.java"))
				.filter((file) -> !file.endsWith("TroubleshootingTests.java"))
				.map(RunTimeMessages::read)
				.toList();
		}
	}

	private static String read(Path file) {
		try {
			String joined = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
			return CONCATENATION.matcher(joined).replaceAll("…");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

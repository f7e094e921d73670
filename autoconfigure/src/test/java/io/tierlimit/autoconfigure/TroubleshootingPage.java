package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The messages of docs/troubleshooting.md, where {@code …} is a variable part.
 */
final class TroubleshootingPage {

	static final String PROBLEMS = "The application does not start";

	static final String WARNINGS = "Warnings at startup";

	static final String LOG_LINES = "Log lines at run time";

	private static final Pattern SPAN = Pattern.compile("`([^`]+)`");

	private TroubleshootingPage() {
	}

	/**
	 * The messages in the first column of the tables of a section.
	 * @param section the heading
	 */
	static List<String> messages(String section) {
		return messages(section, "| `", " | ");
	}

	private static List<String> messages(String section, String start, String end) {
		List<String> messages = new ArrayList<>();
		String text = read().split("\n## " + section + "\n", 2)[1].split("\n## ", 2)[0];
		text.lines().filter((line) -> line.startsWith(start)).forEach((line) -> {
			Matcher span = SPAN.matcher(line.substring(0, line.indexOf(end)));
			while (span.find()) {
				messages.add(span.group(1));
			}
		});
		return messages;
	}

	static boolean matches(String entry, String message) {
		return Pattern
			.compile(Arrays.stream(entry.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*")))
			.matcher(message)
			.find();
	}

	/** Asserts that the page has each message, in a table or in the list below it. */
	static void assertDocumented(String section, List<String> actual) {
		List<String> documented = new ArrayList<>(messages(section));
		documented.addAll(messages(section, "- `", ": "));
		assertThat(
				actual.stream().filter((message) -> documented.stream().noneMatch((entry) -> matches(entry, message))))
			.isEmpty();
	}

	private static String read() {
		try {
			return Files.readString(Path.of("../docs/troubleshooting.md"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

package io.tierlimit.recipes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page {@code docs/recipes.md}.
 */
final class RecipePage {

	private static final Path PAGE = Path.of("../../docs/recipes.md");

	private RecipePage() {
	}

	static String text() {
		return read(PAGE);
	}

	/** The headings of the recipes. */
	static List<String> headings() {
		return all(Pattern.compile("^## (.+)$", Pattern.MULTILINE), text());
	}

	/** The examples in a language, such as {@code yaml}, without their fences. */
	static List<String> examples(String language) {
		return examples(language, text());
	}

	/** The examples below a heading. */
	static List<String> examples(String heading, String language, int expected) {
		String page = text();
		int start = page.indexOf("\n## " + heading + "\n");
		if (start < 0) {
			throw new IllegalArgumentException("docs/recipes.md has no heading '" + heading + "'");
		}
		int end = page.indexOf("\n## ", start + 1);
		List<String> examples = examples(language, page.substring(start, (end < 0) ? page.length() : end));
		if (examples.size() != expected) {
			throw new IllegalStateException("'" + heading + "' has " + examples.size() + " examples in " + language);
		}
		return examples;
	}

	private static List<String> examples(String language, String text) {
		return all(Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE), text);
	}

	private static List<String> all(Pattern pattern, String text) {
		Matcher matcher = pattern.matcher(text);
		return matcher.results().map((match) -> match.group(1)).toList();
	}

	static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

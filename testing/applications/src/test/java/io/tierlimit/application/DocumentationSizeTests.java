package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits the number of words that users and contributors have to read. Blocks of code are
 * not counted.
 */
@Tag("conventions")
class DocumentationSizeTests {

	private static final int README_WORDS = 900;

	/** 38,000 words, 1,250 for requests in flight, and 700 for actual costs. */
	private static final int USER_WORDS = 39_970;

	private static final int CONTRIBUTOR_WORDS = 10_000;

	private static final Path PAGES = Path.of("../../docs");

	@Test
	void readmeIsShort() {
		assertThat(words(DocumentationPage.README)).isBetween(700L, (long) README_WORDS);
	}

	@Test
	void pagesForUsersHaveFewWords() throws IOException {
		assertThat(words(DocumentationPage.README) + wordsIn(PAGES)).isLessThanOrEqualTo(USER_WORDS);
	}

	@Test
	void pagesForContributorsHaveFewWords() throws IOException {
		assertThat(words(Path.of("../../CONTRIBUTING.md")) + wordsIn(PAGES.resolve("contributing")))
			.isLessThanOrEqualTo(CONTRIBUTOR_WORDS);
	}

	private static long wordsIn(Path directory) throws IOException {
		try (Stream<Path> pages = Files.list(directory)) {
			return pages.filter((page) -> page.toString().endsWith(".md"))
				.mapToLong(DocumentationSizeTests::words)
				.sum();
		}
	}

	private static long words(Path page) {
		String text = DocumentationPage.read(page).replaceAll("(?ms)^ *```.*?^ *```", "");
		return Stream.of(text.split("\\s+")).filter((word) -> !word.isEmpty()).count();
	}

}

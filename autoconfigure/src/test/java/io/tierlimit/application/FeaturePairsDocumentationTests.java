package io.tierlimit.application;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the pairs of features in docs/architecture.md.
 */
@Tag("conventions")
class FeaturePairsDocumentationTests {

	private static final Path DOCS = Path.of("../docs");

	private static final List<String> FEATURES = List.of("`adaptive`", "`ban`", "`candidate`", "`max-wait`",
			"overrides", "plans", "shadow mode", "schedules", "`charge`", "forwards", "HTTP/2",
			"asynchronous requests");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+?) \\| (.+?) \\| (.+?\\.) \\| (.+) \\|$");

	@Test
	void eachPairOfFeaturesIsNamedOnce() {
		List<String> pairs = new ArrayList<>();
		for (int i = 0; i < FEATURES.size(); i++) {
			for (int j = i + 1; j < FEATURES.size(); j++) {
				pairs.add(FEATURES.get(i) + " with " + FEATURES.get(j));
			}
		}
		assertThat(rows()).hasSize(66)
			.extracting((row) -> row.group(1) + " with " + row.group(2))
			.containsExactlyElementsOf(pairs);
	}

	@Test
	void eachPairOfFeaturesHasATest() {
		for (MatchResult row : rows()) {
			List<MatchResult> links = DocumentationPage.TEST.matcher(row.group(4)).results().toList();
			assertThat(links).as(row.group()).hasSameSizeAs(row.group(4).split(", "));
			for (MatchResult link : links) {
				Path file = DOCS.resolve(link.group(3)).normalize();
				assertThat(file).hasFileName(link.group(1) + ".java");
				assertThat(DocumentationPage.read(file)).as(link.group())
					.containsPattern(
							"@(Parameterized)?Test\\n(\\t@.*\\n(\\t\\t.*\\n)*)*\\tvoid " + link.group(2) + "\\(");
			}
		}
	}

	private static List<MatchResult> rows() {
		String page = DocumentationPage.read(DOCS.resolve("architecture.md"));
		Matcher row = ROW.matcher(page.substring(page.indexOf("\n## Pairs of features\n")));
		return row.results().toList();
	}

}

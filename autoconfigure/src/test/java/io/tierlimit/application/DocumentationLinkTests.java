package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the links of all Markdown files, and the two lists of pages.
 */
@Tag("conventions")
class DocumentationLinkTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final Path INDEX = ROOT.resolve("docs/README.md");

	private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\\n]*`");

	private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)|(?:src|srcset|href)=\"([^\"]+)\"");

	private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");

	private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```");

	/** A line of the list in docs/README.md. */
	private static final Pattern ENTRY = Pattern.compile("(?m)^- (\\[.*?]\\((.*?)\\)): (.*)$");

	/** A line of the list in the README. */
	private static final Pattern ROW = Pattern.compile("(?m)^\\|[^|]*\\| (\\[.*?]\\(.*?\\)) \\| (.*) \\|$");

	@Test
	void everyLinkHasATarget() throws IOException {
		List<String> broken = new ArrayList<>();
		int links = 0;
		for (Path page : pages()) {
			Matcher link = LINK.matcher(CODE.matcher(DocumentationPage.read(page)).replaceAll(""));
			while (link.find()) {
				String target = (link.group(1) != null) ? link.group(1) : link.group(2);
				if (!target.matches("[a-z]+:.*")) {
					links++;
					if (!exists(page, target)) {
						broken.add(ROOT.relativize(page) + ": " + target);
					}
				}
			}
		}
		assertThat(broken).isEmpty();
		assertThat(links).isGreaterThan(100);
	}

	@Test
	void everyPageIsInTheIndex() throws IOException {
		Set<Path> listed = new HashSet<>();
		ENTRY.matcher(DocumentationPage.read(INDEX))
			.results()
			.forEach((entry) -> listed.add(INDEX.resolveSibling(entry.group(2))));
		try (Stream<Path> pages = Files.list(INDEX.getParent())) {
			assertThat(pages.filter((page) -> page.toString().endsWith(".md") && !page.equals(INDEX))).isNotEmpty()
				.allMatch(listed::contains);
		}
	}

	@Test
	void readmeHasTheSameIndex() {
		List<String> entries = ENTRY.matcher(DocumentationPage.read(INDEX))
			.results()
			.map((entry) -> entry.group(1) + " " + entry.group(3))
			.toList();
		String readme = DocumentationPage.read(ROOT.resolve("README.md"));
		assertThat(ROW.matcher(readme.substring(readme.indexOf("\n## Documentation")))
			.results()
			.map((row) -> row.group(1).replace("(sample-app/", "(../sample-app/").replace("(docs/", "(") + " "
					+ row.group(2)))
			.containsExactlyElementsOf(entries);
	}

	private static boolean exists(Path page, String target) {
		int hash = target.indexOf('#');
		String file = (hash < 0) ? target : target.substring(0, hash);
		Path path = file.isEmpty() ? page : page.resolveSibling(file).normalize();
		return Files.exists(path) && path.startsWith(ROOT)
				&& (hash < 0 || anchors(path).contains(target.substring(hash + 1)));
	}

	/** Returns the anchors that GitHub generates for the headings of a page. */
	private static Set<String> anchors(Path page) {
		Map<String, Integer> counts = new HashMap<>();
		Set<String> anchors = new HashSet<>();
		HEADING.matcher(FENCE.matcher(DocumentationPage.read(page)).replaceAll("")).results().forEach((heading) -> {
			String text = heading.group(1).replaceAll("\\[(.*?)]\\(.*?\\)", "$1").strip();
			String anchor = text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
			int count = counts.merge(anchor, 1, Integer::sum);
			anchors.add((count == 1) ? anchor : anchor + "-" + (count - 1));
		});
		return anchors;
	}

	private static List<Path> pages() throws IOException {
		List<Path> pages = new ArrayList<>();
		for (String directory : List.of("", "docs", "docs/contributing", "sample-app", "benchmarks")) {
			try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
				files.filter((file) -> file.toString().endsWith(".md")).forEach(pages::add);
			}
		}
		return pages;
	}

}

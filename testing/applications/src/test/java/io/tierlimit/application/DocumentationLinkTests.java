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
 * Checks the links of all Markdown files, and the lists of pages.
 */
@Tag("conventions")
class DocumentationLinkTests {

	private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

	private static final Path INDEX = ROOT.resolve("docs/README.md");

	private static final Path LANGUAGE_MODELS = ROOT.resolve("llms.txt");

	private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\\n]*`");

	private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)|(?:src|srcset|href)=\"([^\"]+)\"");

	private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");

	private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```");

	/** An entry of a list of pages. */
	private static final Pattern ENTRY = Pattern.compile("(?m)^- (\\[.*?]\\((.*?)\\)): (.*)$");

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
		List<Path> pages = new ArrayList<>(pagesIn("docs"));
		pages.addAll(pagesIn("docs/contributing"));
		assertThat(pages).hasSizeGreaterThan(20).allMatch((page) -> page.equals(INDEX) || listed.contains(page));
	}

	@Test
	void readmeHasEightLinksToPages() {
		String readme = DocumentationPage.read(ROOT.resolve("README.md"));
		assertThat(ENTRY.matcher(readme.substring(readme.indexOf("\n## Documentation"))).results()).hasSize(8);
	}

	/** In the format of llmstxt.org. */
	@Test
	void pagesForUsersAreListedForLanguageModels() throws IOException {
		String list = DocumentationPage.read(LANGUAGE_MODELS);
		assertThat(list).startsWith("# Tierlimit\n\n> ");
		Set<Path> listed = new HashSet<>();
		ENTRY.matcher(list).results().forEach((entry) -> listed.add(ROOT.resolve(entry.group(2))));
		assertThat(listed).contains(INDEX).containsAll(pagesIn("docs"));
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
		List<Path> pages = new ArrayList<>(List.of(LANGUAGE_MODELS));
		for (String directory : List.of("", "docs", "docs/contributing", "sample-app", "benchmarks")) {
			pages.addAll(pagesIn(directory));
		}
		return pages;
	}

	private static List<Path> pagesIn(String directory) throws IOException {
		try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
			return files.filter((file) -> file.toString().endsWith(".md")).toList();
		}
	}

}

package io.tierlimit.application;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Follows every link within the documentation to its file and heading.
 */
class DocumentationLinksTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern CODE = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

	private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");

	@Test
	void linksHaveATarget() throws IOException {
		List<String> broken = new ArrayList<>();
		int links = 0;
		for (Path page : pages()) {
			Matcher link = LINK.matcher(text(page));
			while (link.find()) {
				Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
				if (!Files.exists(target) || (link.group(2) != null && !anchors(target).contains(link.group(2)))) {
					broken.add(page + ": " + link.group());
				}
				links++;
			}
		}
		assertThat(broken).isEmpty();
		assertThat(links).isGreaterThan(200);
	}

	@Test
	void headingsOfAPageDiffer() throws IOException {
		for (Path page : pages()) {
			assertThat(HEADING.matcher(text(page)).results().map((heading) -> anchor(heading.group(1))))
				.as(page.toString())
				.doesNotHaveDuplicates();
		}
	}

	private static Set<String> anchors(Path page) {
		Set<String> anchors = new HashSet<>();
		HEADING.matcher(text(page)).results().forEach((heading) -> anchors.add(anchor(heading.group(1))));
		return anchors;
	}

	/** As GitHub makes it. */
	private static String anchor(String heading) {
		return heading.strip().toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
	}

	private static List<Path> pages() throws IOException {
		List<Path> pages = new ArrayList<>();
		for (Path directory : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve("sample-app"))) {
			try (Stream<Path> files = Files.list(directory)) {
				files.filter((file) -> file.toString().endsWith(".md")).forEach(pages::add);
			}
		}
		return pages;
	}

	private static String text(Path page) {
		try {
			return CODE.matcher(Files.readString(page)).replaceAll("");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

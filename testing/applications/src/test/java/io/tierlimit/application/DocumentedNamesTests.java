package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.junit.ProjectFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the names of code in the pages on architecture and on changes exist.
 */
@Tag("conventions")
class DocumentedNamesTests {

	private static final Path ROOT = Path.of("../..");

	/** A type, a member of a type, or a word of code. */
	private static final Pattern NAME = Pattern.compile("`((?:[a-z]+\\.)*)([A-Za-z]\\w*)(?:\\.(\\w+))?(?:\\(\\))?`");

	private static final Pattern WORD = Pattern.compile("\\w+");

	private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```");

	@ParameterizedTest
	@ValueSource(strings = { "architecture", "changes" })
	void everyNameInBackticksExists(String page) throws IOException {
		Map<String, Set<String>> wordsOfTypes = new HashMap<>();
		Set<String> words = new HashSet<>();
		for (Path file : sources()) {
			Set<String> found = WORD.matcher(DocumentationPage.read(file))
				.results()
				.map(MatchResult::group)
				.collect(Collectors.toSet());
			words.addAll(found);
			wordsOfTypes.computeIfAbsent(file.getFileName().toString().replace(".java", ""), (type) -> new HashSet<>())
				.addAll(found);
		}
		String text = FENCE.matcher(DocumentationPage.of("contributing/" + page).text()).replaceAll("");
		List<String> missing = new ArrayList<>();
		NAME.matcher(text).results().forEach((name) -> {
			String member = name.group(3);
			Set<String> places = wordsOfTypes.getOrDefault(name.group(2), words);
			if (!words.contains(name.group(2)) || (member != null && !places.contains(member))) {
				missing.add(name.group());
			}
		});
		assertThat(text).containsPattern(NAME);
		assertThat(missing).isEmpty();
	}

	/** The Java, Lua, YAML, XML and SQL files of all modules. */
	private static List<Path> sources() throws IOException {
		return ProjectFiles.below(ROOT)
			.stream()
			.filter((file) -> file.toString().matches(".*/(src|dashboards)/.*\\.(java|lua|yml|xml|sql)|.*/pom\\.xml"))
			.toList();
	}

}

package io.tierlimit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.tierlimit.junit.ProjectFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keeps words out of prose and identifiers that have a plain replacement: in the
 * documentation, in comments, messages and names of Java code, and in scripts.
 */
@Tag("conventions")
class LanguageTests {

	private static final Path PROJECT = Path.of("..");

	private static final List<RetiredWord> RETIRED = List.of(
			word("tells?|told|telling", "report, return, notify, write or distinguish"),
			// Requests hold permits, but nothing holds requests.
			word("held (?:to|against|back)|(?:held|holds?) (?:(?:a|an|the|each|every) )?(?:request|caller|client)s?",
					"apply to, check against, contain, keep or delay"),
			word("nobody|somebody|anybody|whoever|whomever", "name the subject: a client, another thread"),
			word("he|his|him|himself", "the client, the caller, they"), word("but for", "except for"),
			word("besides?", "in addition to, next to, also"), word("in vain", "without effect"),
			word("(?<!there )(?:is|are|was|were) no(?! (?:longer|more|less|greater|later|earlier|other)\\b)",
					"is not a, must not be"),
			word("(?:gives?|given|giving|gave)(?: \\w+){0,2} back", "refund, return"),
			word("(?<!connection )refus(?:e|es|ed|al|als|ing)", "reject"), word("spen(?:d|ds|t|ding)", "consume"),
			word("says?|said|saying", "report, state, require"), word("wants?|wanted", "require, need"),
			word("who (?:comes?|asks?)", "the client, the caller"), word("knows? (?:of|no|nothing)", "have, support"),
			word("forgets?|forgotten|forgot", "evict, remove"), word("hopeless", "unsatisfiable"),
			word("(?:lets?|got) through|goes over", "allow, allowed, exceed"),
			word("ma(?:ke|kes|de) (?:(?:it|them|the bucket|a bucket|buckets) )?full", "reset"),
			word("in force", "active, current, take effect"),
			word("stops? startup|startup stops", "the application does not start"),
			word("(?<=, )also (?:if|for|at)", "even if, including"),
			word("those (?:of|that)|that of", "repeat the noun"),
			word("counts? as|does not count|do not count", "be treated as, be ignored"),
			word("judg\\w*", "evaluate, interval"), word("the own", "its own, their own"),
			word("anew|any ?more|meanwhile", "again, further, in the meantime"),
			word("(?<=, )too(?=[.:;])", "also, before the verb"));

	private static final Pattern JAVA = Pattern.compile(
			"(?<comment>//[^\n]*|/\\*(?s:.*?)\\*/)|(?<text>\"\"\"(?s:.*?)\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*')"
					+ "|(?<name>[A-Za-z_]\\w*)");

	private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_");

	private static final Pattern FENCE = Pattern.compile("(?s)```.*?```");

	private static final Pattern CODE = Pattern.compile("`[^`]*`|\\]\\([^)]*\\)|<[^>]*>");

	private static RetiredWord word(String regex, String replacement) {
		return new RetiredWord(Pattern.compile("\\b(?:" + regex + ")\\b", Pattern.CASE_INSENSITIVE), replacement);
	}

	@ParameterizedTest
	@ValueSource(strings = { "The client is told to wait.", "A rule that holds a request", "Nobody waits.",
			"the user and his plan", "all but for one", "charged besides", "waits in vain", "10 is no rate",
			"gives the permits back", "is refused", "spent permits", "whoIsToldNothing", "whatHeWasToldIsRefused",
			"the bucket is made full", "the rules in force", "A mistake stops startup.", "applies, also if it waits",
			"those of the rule", "counts as a failure", "rulesInForce", "The other instance does, too." })
	void retiredWordIsFound(String text) {
		assertThat(find(words(text))).isNotEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "It holds a lock.", "A request holds its permits.", "There is no limit.",
			"It is no longer limited.", "Connection refused", "The rule applies to the request.",
			"A shell on the threshold" })
	void plainSentenceIsNot(String text) {
		assertThat(find(words(text))).isEmpty();
	}

	@Test
	void nothingThatPeopleReadHasRetiredWords() throws IOException {
		List<String> found = new ArrayList<>();
		for (Path file : files()) {
			String text = Files.readString(file, StandardCharsets.UTF_8);
			int line = 0;
			for (String prose : prose(file, text)) {
				line++;
				for (String word : find(prose)) {
					found.add(PROJECT.relativize(file) + ":" + line + ": " + word);
				}
			}
		}
		assertThat(found).isEmpty();
	}

	/** The words of each line that people read, with every name as its words. */
	private static List<String> prose(Path file, String text) {
		String name = file.toString();
		if (name.endsWith(".java") || name.endsWith(".kt")) {
			Matcher token = JAVA.matcher(text);
			StringBuilder prose = new StringBuilder();
			int end = 0;
			while (token.find()) {
				prose.append(blank(text.substring(end, token.start())));
				prose.append(words(token.group()));
				end = token.end();
			}
			return prose.toString().lines().toList();
		}
		if (name.endsWith(".md")) {
			String written = FENCE.matcher(text).replaceAll((block) -> blank(block.group()));
			return CODE.matcher(written).replaceAll(" ").lines().toList();
		}
		return text.lines().toList();
	}

	private static String blank(String code) {
		return code.replaceAll("[^\n]+", " | ");
	}

	private static String words(String text) {
		return HUMP.matcher(text).replaceAll(" ");
	}

	private static List<String> find(String prose) {
		List<String> found = new ArrayList<>();
		for (RetiredWord word : RETIRED) {
			Matcher matcher = word.pattern().matcher(prose);
			if (matcher.find()) {
				found.add("'" + matcher.group().toLowerCase(Locale.ROOT) + "': use " + word.replacement());
			}
		}
		return found;
	}

	private static List<Path> files() throws IOException {
		return ProjectFiles.below(PROJECT).stream().filter(LanguageTests::isRead).toList();
	}

	private static boolean isRead(Path file) {
		String name = PROJECT.relativize(file).toString();
		return !name.endsWith("LanguageTests.java")
				&& name.matches(".*\\.(?:java|kt|md|lua|ya?ml|html|graphqls)|.*configuration-metadata\\.json");
	}

	/**
	 * A word that has a plain replacement.
	 *
	 * @param pattern finds the word
	 * @param replacement what to write instead
	 */
	private record RetiredWord(Pattern pattern, String replacement) {

	}

}

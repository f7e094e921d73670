package io.tierlimit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.server.PathContainer;
import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PathIndex}.
 */
class PathIndexTests {

	private static final List<String> PATTERN_SEGMENTS = List.of("a", "b", "A", "ab", "{x}", "*", "a*", "?", "{x:a+}");

	private static final List<String> SEGMENTS = List.of("a", "b", "A", "ab", "aB", "c");

	private static final List<Set<String>> METHODS = List.of(Set.of(), Set.of("GET"), Set.of("POST"),
			Set.of("GET", "PUT"));

	private final Random random = new Random(19);

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void everyValueThatMatchesIsFoundInTheGivenOrder(boolean ignoringCase) {
		for (int round = 0; round < 500; round++) {
			List<PathIndex.Entry<String>> entries = entries();
			PathIndex<String> index = new PathIndex<>(entries, ignoringCase);
			for (int i = 0; i < 20; i++) {
				String method = any(List.of("GET", "HEAD", "POST", "DELETE"));
				String path = path(SEGMENTS, "");
				List<String> matching = matching(entries, method, path, ignoringCase);
				assertThat(index.find(method, path)).as("%s %s of %s", method, path, entries)
					.isSorted()
					.doesNotHaveDuplicates()
					.containsAll(matching);
				assertThat(index.find(method, PathContainer.parsePath(path)))
					.containsExactlyElementsOf(index.find(method, path));
			}
		}
	}

	@Test
	void oneOfManyValuesIsFoundAlone() {
		PathIndex<String> index = new PathIndex<>(IntStream.range(0, 1_000)
			.mapToObj((i) -> new PathIndex.Entry<>("r" + i, Set.of("GET"), Set.of("/api/v" + i + "/{id}")))
			.toList(), false);
		assertThat(index.find("GET", "/api/v500/1")).containsExactly("r500");
		assertThat(index.find("GET", "/api/other/1")).isEmpty();
		assertThat(index.find("POST", "/api/v500/1")).isEmpty();
	}

	@Test
	void caseOfEveryCharacterIsIgnored() {
		String lower = Character.toString(0x10428);
		String upper = Character.toString(0x10400);
		PathIndex<String> index = new PathIndex<>(List.of(new PathIndex.Entry<>("a", Set.of(), Set.of("/" + lower)),
				new PathIndex.Entry<>("b", Set.of(), Set.of("/\u0130\u03a3/x")),
				new PathIndex.Entry<>("c", Set.of(), Set.of("/other")),
				new PathIndex.Entry<>("d", Set.of(), Set.of("/third"))), true);
		assertThat(index.find("GET", "/" + upper)).containsExactly("a");
		assertThat(index.find("GET", "/" + lower)).containsExactly("a");
		assertThat(index.find("GET", "/i\u03c3/X")).containsExactly("b");
	}

	@Test
	void valueWithSeveralEntriesIsFoundOnce() {
		PathIndex<String> index = new PathIndex<>(List.of(new PathIndex.Entry<>("a", Set.of(), Set.of("/x")),
				new PathIndex.Entry<>("b", Set.of(), Set.of("/x")), new PathIndex.Entry<>("a", Set.of(), Set.of("/x")),
				new PathIndex.Entry<>("c", Set.of(), Set.of("/x"))), false);
		assertThat(index.find("GET", "/x")).containsExactly("a", "b", "c");
	}

	@Test
	void pathInAnotherSpellingMayMatchAnything() {
		PathIndex<String> index = new PathIndex<>(List.of(new PathIndex.Entry<>("a", Set.of(), Set.of("/a"))), false);
		assertThat(mayMatch(index, "/a", "/a")).isTrue();
		assertThat(mayMatch(index, "/b", "/b")).isFalse();
		assertThat(mayMatch(index, "/b;x=1", "/b")).isTrue();
		assertThat(mayMatch(index, "/b/", "/b/")).isTrue();
	}

	private static boolean mayMatch(PathIndex<String> index, String sent, String served) {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", sent);
		request.setServletPath(served);
		return index.mayMatch(request);
	}

	private List<PathIndex.Entry<String>> entries() {
		List<PathIndex.Entry<String>> entries = new ArrayList<>();
		for (int i = this.random.nextInt(9); i >= 0; i--) {
			List<String> patterns = new ArrayList<>();
			for (int j = this.random.nextInt(3); j > 0; j--) {
				patterns.add(path(PATTERN_SEGMENTS, any(List.of("", "/**", "/{*rest}"))));
			}
			entries.add(new PathIndex.Entry<>("value " + entries.size(), any(METHODS), patterns));
		}
		return entries;
	}

	private String path(List<String> segments, String end) {
		StringBuilder path = new StringBuilder();
		for (int i = this.random.nextInt(4); i > 0; i--) {
			// A pattern has each variable once.
			path.append('/').append(any(segments).replace("x", "x" + i));
		}
		return (path.isEmpty() && end.isEmpty()) ? "/" : path + end;
	}

	private static List<String> matching(List<PathIndex.Entry<String>> entries, String method, String path,
			boolean ignoringCase) {
		return entries.stream()
			.filter((entry) -> entry.methods().isEmpty() || entry.methods().contains(method)
					|| (method.equals("HEAD") && entry.methods().contains("GET")))
			.filter((entry) -> entry.patterns().isEmpty() || entry.patterns()
				.stream()
				.anyMatch(
						(pattern) -> PathPatterns.parse(pattern, ignoringCase).matches(PathContainer.parsePath(path))))
			.map(PathIndex.Entry::value)
			.toList();
	}

	private <T> T any(List<T> values) {
		return values.get(this.random.nextInt(values.size()));
	}

}

package io.tierlimit.recipes;

import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.tierlimit.application.DocumentationPage;
import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays the {@code curl} commands of a recipe, without a shell: options {@code -H},
 * {@code -d}, {@code -u}, {@code -X}, {@code -i} and {@code -w}, a range such as
 * {@code [1-3]} in the URL, and a pipe to {@code grep -iE}.
 */
final class Curl {

	private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

	private static final Pattern RANGE = Pattern.compile("\\[(\\d+)-(\\d+)]");

	private static final Pattern NAME = Pattern.compile("^[\\w-]+:");

	private final List<String> headers = new ArrayList<>();

	private String method = "";

	private String data = "";

	private String url = "";

	private String filter = "";

	private boolean head;

	private boolean statusOnly;

	private Curl(String command) {
		Matcher word = WORD.matcher(command);
		while (word.find()) {
			read(unquoted(word), word);
		}
	}

	/** Replays all commands in the console example of a recipe. */
	static void replay(RunningApplication application, String heading) {
		replay(application, heading, Map.of());
	}

	/** Replays all commands with values of shell variables. */
	static void replay(RunningApplication application, String heading, Map<String, String> variables) {
		String console = DocumentationPage.of("recipes").section(heading).blocks("console").get(0);
		for (Map.Entry<String, String> variable : variables.entrySet()) {
			console = console.replace("$" + variable.getKey(), variable.getValue());
		}
		for (String step : console.substring(2).split("(?m)^\\$ ", -1)) {
			List<String> lines = step.lines().toList();
			assertThat(new Curl(lines.get(0)).run(application)).as(lines.get(0))
				.containsExactlyInAnyOrderElementsOf(
						lines.subList(1, lines.size()).stream().map(Curl::withLowerCaseName).toList());
		}
	}

	/** A header line with its name in lower case, as the JDK's client returns it. */
	private static String withLowerCaseName(String line) {
		return NAME.matcher(line).replaceFirst((name) -> name.group().toLowerCase(Locale.ROOT));
	}

	private void read(String word, Matcher next) {
		switch (word) {
			case "curl", "-s", "-o", "/dev/null", "|", "grep", "-iE" -> {
			}
			case "-si" -> this.head = true;
			case "-w" -> {
				this.statusOnly = true;
				argument(next);
			}
			case "-H" -> this.headers.addAll(List.of(argument(next).split(": ", 2)));
			case "-u" -> this.headers.addAll(List.of("Authorization",
					"Basic " + Base64.getEncoder().encodeToString(argument(next).getBytes(StandardCharsets.UTF_8))));
			case "-X" -> this.method = argument(next);
			case "-d" -> this.data = argument(next);
			default -> operand(word);
		}
	}

	private void operand(String word) {
		if (this.url.isEmpty()) {
			this.url = word;
		}
		else if (this.filter.isEmpty()) {
			this.filter = word;
		}
		else {
			throw new IllegalArgumentException("No such option: " + word);
		}
	}

	private static String argument(Matcher word) {
		assertThat(word.find()).isTrue();
		return unquoted(word);
	}

	private static String unquoted(Matcher word) {
		return Stream.of(1, 2, 3).map(word::group).filter(Objects::nonNull).findFirst().orElseThrow();
	}

	private List<String> run(RunningApplication application) {
		Matcher range = RANGE.matcher(this.url);
		Stream<String> urls = !range.find() ? Stream.of(this.url)
				: IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
					.mapToObj((i) -> range.replaceFirst(String.valueOf(i)));
		return urls.flatMap((each) -> lines(send(application, URI.create("http://" + each)))).toList();
	}

	private Response send(RunningApplication application, URI uri) {
		assertThat(uri.getAuthority()).isEqualTo("localhost:8080");
		boolean hasData = !this.data.isEmpty();
		List<String> all = new ArrayList<>(this.headers);
		if (hasData && !all.contains("Content-Type")) {
			all.addAll(List.of("Content-Type", "application/x-www-form-urlencoded"));
		}
		String verb = !this.method.isEmpty() ? this.method : hasData ? "POST" : "GET";
		BodyPublisher body = hasData ? BodyPublishers.ofString(this.data) : BodyPublishers.noBody();
		return application.send(verb, uri.toString().substring("http://localhost:8080".length()), body,
				all.toArray(String[]::new));
	}

	private Stream<String> lines(Response response) {
		if (this.statusOnly) {
			return Stream.of(String.valueOf(response.status()));
		}
		Stream<String> lines = response.body().lines();
		if (this.head) {
			Stream<String> fields = response.response()
				.headers()
				.map()
				.entrySet()
				.stream()
				.flatMap((field) -> field.getValue().stream().map((value) -> field.getKey() + ": " + value));
			lines = Stream.of(Stream.of("HTTP/1.1 " + response.status()), fields, lines).flatMap((part) -> part);
		}
		Pattern shown = Pattern.compile(this.filter, Pattern.CASE_INSENSITIVE);
		return lines.filter((line) -> shown.matcher(line).find());
	}

}

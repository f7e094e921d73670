package io.tierlimit.application;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.tierlimit.application.RunningApplication.Response;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A page of the documentation. With the system property {@code docs.write}, tests write
 * responses and results to it.
 */
public final class DocumentationPage {

	static final Path README = Path.of("../../README.md");

	/** A response with its status, its headers and its body. */
	private static final Pattern RESPONSE = Pattern.compile("```http\nHTTP/1.1 (\\d+)\n(.*?)\n```", Pattern.DOTALL);

	/** A request, its body in one line if it has one, and the response. */
	private static final Pattern EXCHANGE = Pattern.compile("```http\n(\\w+) (\\S+)\n\n(?:(\\{[^\n]*})\n\n)?(.*?)```",
			Pattern.DOTALL);

	private static final JsonMapper JSON = new JsonMapper();

	private final Path path;

	private final String text;

	private DocumentationPage(Path path, String text) {
		this.path = path;
		this.text = text;
	}

	static DocumentationPage readme() {
		return new DocumentationPage(README, read(README));
	}

	/** Reads a page of the directory {@code docs}. */
	public static DocumentationPage of(String name) {
		Path path = Path.of("../../docs", name + ".md");
		return new DocumentationPage(path, read(path));
	}

	/** Returns the part of the page below a heading of the second level. */
	public DocumentationPage section(String heading) {
		String start = "\n## " + heading + "\n";
		assertThat(this.text).contains(start);
		String section = this.text.substring(this.text.indexOf(start) + start.length());
		return new DocumentationPage(this.path, section.split("\n(?=## )", 2)[0]);
	}

	public static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public String text() {
		return this.text;
	}

	/** The blocks of a language. */
	public List<String> blocks(String language) {
		return found(Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL), 1);
	}

	List<String> found(Pattern pattern, int group) {
		return pattern.matcher(this.text).results().map((found) -> found.group(group)).toList();
	}

	/** Writes the first block of YAML, and returns the property that reads it. */
	String configuration(Path directory) {
		return configuration(directory, 0);
	}

	String configuration(Path directory, int block) {
		write(directory.resolve("application.yml"), blocks("yaml").get(block));
		return "spring.config.additional-location=file:" + directory + "/";
	}

	/** Writes the page or the section, if it is to be written. */
	void write(String changed) {
		if (System.getProperty("docs.write") != null) {
			write(this.path, read(this.path).replace(this.text, changed));
		}
	}

	private static void write(Path file, String text) {
		try {
			Files.writeString(file, text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Compares a response with a response of the page. */
	void assertResponse(int index, Response response) {
		String[] parts = found(RESPONSE, 2).get(index).split("\n\n", 2);
		assertThat(response.status()).hasToString(found(RESPONSE, 1).get(index));
		assertThat(parts[0].lines()).allSatisfy((header) -> {
			String[] field = header.split(": ", 2);
			assertThat(response.header(field[0])).isEqualTo(field[1]);
		});
		if (parts.length > 1) {
			assertThat(JSON.readTree(response.body())).isEqualTo(JSON.readTree(parts[1]));
		}
	}

	/**
	 * Sends all requests in their order, and compares the responses with the page. A line
	 * of three dots in a response of the page stands for any lines.
	 */
	void compare(RunningApplication application, int number) {
		List<String> documented = new ArrayList<>();
		List<String> actual = new ArrayList<>();
		write(EXCHANGE.matcher(this.text).replaceAll((exchange) -> {
			String sent = exchange.group(3);
			Response response = (sent == null) ? application.send(exchange.group(1), exchange.group(2))
					: application.send(exchange.group(1), exchange.group(2), BodyPublishers.ofString(sent),
							"Content-Type", "application/json");
			String shown = exchange.group(4);
			String text = abridged(shown).matcher(stable(text(response))).matches() ? shown : text(response);
			documented.add(stable(shown));
			actual.add(stable(text));
			return Matcher.quoteReplacement("```http\n" + exchange.group(1) + " " + exchange.group(2) + "\n\n"
					+ ((sent != null) ? sent + "\n\n" : "") + text + "```");
		}));
		assertThat(actual).isEqualTo(documented).hasSize(number);
	}

	private static String text(Response response) {
		StringBuilder text = new StringBuilder("HTTP/1.1 ").append(response.status()).append('\n');
		for (String header : List.of("RateLimit", "Retry-After")) {
			if (!response.header(header).isEmpty()) {
				text.append(header).append(": ").append(response.header(header)).append('\n');
			}
		}
		if (!response.body().isEmpty()) {
			text.append(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(JSON.readTree(response.body())))
				.append('\n');
		}
		return text.toString();
	}

	private static Pattern abridged(String shown) {
		return Pattern.compile(Arrays.stream(stable(shown).split("(?m)^ *\\.\\.\\.\n"))
			.map(Pattern::quote)
			.collect(Collectors.joining("(?s:.*\n)?")));
	}

	private static String stable(String text) {
		return text.replaceAll("\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z", "now").replace("\r", "");
	}

}

package io.tierlimit.application;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.application.RunningApplication.Response;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requests and responses on a page of the documentation: a block of {@code http} with
 * a request, its body in one line if it has one, and the response. With the system
 * property {@code docs.write}, the responses are written to the page.
 */
final class DocumentedExchanges {

	private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

	private static final Pattern EXCHANGE = Pattern.compile("```http\n(\\w+) (\\S+)\n\n(?:(\\{[^\n]*})\n\n)?(.*?)```",
			Pattern.DOTALL);

	private static final JsonMapper JSON = new JsonMapper();

	private final Path page;

	private final String text;

	DocumentedExchanges(Path page) throws IOException {
		this.page = page;
		this.text = Files.readString(page);
	}

	/**
	 * Writes the first YAML block of the page, and returns the property that reads it.
	 */
	String configuration(Path directory) throws IOException {
		Matcher yaml = YAML.matcher(this.text);
		assertThat(yaml.find()).isTrue();
		Files.writeString(directory.resolve("application.yml"), yaml.group(1));
		return "spring.config.additional-location=file:" + directory + "/";
	}

	/** Sends all requests in their order, and compares the responses with the page. */
	void compare(RunningApplication application, int number) throws IOException {
		List<String> documented = new ArrayList<>();
		List<String> actual = new ArrayList<>();
		String written = EXCHANGE.matcher(this.text).replaceAll((exchange) -> {
			String sent = exchange.group(3);
			Response response = (sent == null) ? application.send(exchange.group(1), exchange.group(2))
					: application.send(exchange.group(1), exchange.group(2), BodyPublishers.ofString(sent),
							"Content-Type", "application/json");
			documented.add(stable(exchange.group(4)));
			actual.add(stable(text(response)));
			return Matcher.quoteReplacement("```http\n" + exchange.group(1) + " " + exchange.group(2) + "\n\n"
					+ ((sent != null) ? sent + "\n\n" : "") + text(response) + "```");
		});
		if (System.getProperty("docs.write") != null) {
			Files.writeString(this.page, written);
		}
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

	private static String stable(String text) {
		return text.replaceAll("\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z", "now").replace("\r", "");
	}

}

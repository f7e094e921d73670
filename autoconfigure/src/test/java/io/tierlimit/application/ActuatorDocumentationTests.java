package io.tierlimit.application;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.Poll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends every request of docs/actuator.md, and compares the responses with the page. Run
 * with the system property {@code docs.write} to write the responses to the page.
 */
class ActuatorDocumentationTests {

	private static final Path PAGE = Path.of("../docs/actuator.md");

	private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

	private static final Pattern EXCHANGE = Pattern
		.compile("```http\n(\\w+) (\\S+)\n\n(?:(\\{[^\n]*})\n\n)?HTTP/1.1 (\\d+)\n(.*?)```", Pattern.DOTALL);

	private static final JsonMapper JSON = new JsonMapper();

	@TempDir
	private Path directory;

	@Test
	void answersAreAsDocumented() throws IOException {
		String page = Files.readString(PAGE);
		Matcher yaml = YAML.matcher(page);
		assertThat(yaml.find()).isTrue();
		Files.writeString(this.directory.resolve("application.yml"), yaml.group(1));
		try (RunningApplication application = RunningApplication.start(TestApplication.class,
				"spring.config.additional-location=file:" + this.directory + "/",
				"management.endpoint.health.show-details=always")) {
			for (int i = 0; i < 4; i++) {
				application.getAs("alice", "/orders/1");
			}
			// A request is counted at its end, which may be after the response.
			Poll.until(Duration.ofSeconds(60),
					() -> application.get("/actuator/ratelimits/everybody").body().contains("\"rejected\":1"),
					() -> "not counted");
			replay(page, application);
		}
	}

	private static void replay(String page, RunningApplication application) throws IOException {
		List<String> differences = new ArrayList<>();
		Matcher exchange = EXCHANGE.matcher(page);
		String written = exchange.replaceAll((found) -> {
			String sent = found.group(3);
			Response response = (sent == null)
					? application.send(found.group(1), found.group(2), BodyPublishers.noBody())
					: application.send(found.group(1), found.group(2), BodyPublishers.ofString(sent), "Content-Type",
							"application/json");
			String body = response.body().isEmpty() ? "" : pretty(response.body());
			if (response.status() != Integer.parseInt(found.group(4)) || !stable(body).equals(stable(found.group(5)))) {
				differences.add(found.group(1) + " " + found.group(2) + " -> " + response.status() + "\n" + body);
			}
			return Matcher.quoteReplacement("```http\n" + found.group(1) + " " + found.group(2) + "\n\n"
					+ ((sent != null) ? sent + "\n\n" : "") + "HTTP/1.1 " + response.status() + "\n" + body + "```");
		});
		if (System.getProperty("docs.write") != null) {
			Files.writeString(PAGE, written);
		}
		assertThat(differences).isEmpty();
	}

	private static String pretty(String json) {
		JsonNode tree = JSON.readTree(json);
		return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(tree) + "\n";
	}

	private static String stable(String json) {
		return json.replaceAll("\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z", "now").replace("\r", "");
	}

}

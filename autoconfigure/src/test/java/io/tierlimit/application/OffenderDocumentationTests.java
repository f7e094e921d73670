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
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends the requests of docs/operations.md, and compares the responses with the page.
 */
class OffenderDocumentationTests {

	private static final Path PAGE = Path.of("../docs/operations.md");

	private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

	private static final Pattern EXCHANGE = Pattern.compile("```http\n(\\w+) (\\S+)\n\nHTTP/1.1 (\\d+)\n(.*?)```",
			Pattern.DOTALL);

	private static final JsonMapper JSON = new JsonMapper();

	@TempDir
	private Path directory;

	@Test
	void responsesAreAsDocumented() throws IOException {
		String page = Files.readString(PAGE);
		Matcher yaml = YAML.matcher(page);
		assertThat(yaml.find()).isTrue();
		Files.writeString(this.directory.resolve("application.yml"), yaml.group(1));
		List<String> documented = new ArrayList<>();
		List<String> actual = new ArrayList<>();
		try (RunningApplication application = RunningApplication.start(TestApplication.class,
				"spring.config.additional-location=file:" + this.directory + "/",
				"tierlimit.client-ip.trusted-proxies=127.0.0.0/8",
				"management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted")) {
			for (int i = 0; i < 11; i++) {
				application.get("/orders/1", "X-Forwarded-For", "203.0.113.7");
			}
			for (int i = 0; i < 3; i++) {
				application.get("/orders/1", "X-Forwarded-For", "203.0.113.8");
			}
			// A request is counted at its end, which may be after the response.
			Poll.until(Duration.ofSeconds(60),
					() -> application.get("/actuator/ratelimits/orders/offenders").json("$.rejections").equals(10),
					() -> "not counted");
			Matcher exchange = EXCHANGE.matcher(page);
			while (exchange.find()) {
				documented.add(stable(exchange.group(3) + "\n" + exchange.group(4)));
				actual
					.add(stable(text(application.send(exchange.group(1), exchange.group(2), BodyPublishers.noBody()))));
			}
			assertThat(application.get("/orders/1", "X-Forwarded-For", "203.0.113.7").status()).as("the ban was lifted")
				.isEqualTo(200);
		}
		assertThat(actual).isEqualTo(documented).hasSize(2);
	}

	private static String text(Response response) {
		String body = response.body().isEmpty() ? ""
				: JSON.writerWithDefaultPrettyPrinter().writeValueAsString(JSON.readTree(response.body())) + "\n";
		return response.status() + "\n" + body;
	}

	private static String stable(String text) {
		return text.replaceAll("\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z", "now").replace("\r", "");
	}

}

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends every request of docs/bans.md, and compares the responses with the page.
 */
class BanDocumentationTests {

	private static final Path PAGE = Path.of("../docs/bans.md");

	private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

	private static final Pattern EXCHANGE = Pattern.compile("```http\n(\\w+) (\\S+)\n\n(.*?)```", Pattern.DOTALL);

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
				"management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted")) {
			for (int i = 0; i < 21; i++) {
				Response response = application.get("/orders/1");
				assertThat(response.status()).isEqualTo((i < 2) ? 200 : 429);
				assertThat(response.body()).doesNotContain("abnormal-usage-detected");
			}
			Matcher exchange = EXCHANGE.matcher(page);
			while (exchange.find()) {
				documented.add(stable(exchange.group(3)));
				actual
					.add(stable(text(application.send(exchange.group(1), exchange.group(2), BodyPublishers.noBody()))));
			}
			assertThat(application.get("/orders/1").status()).as("the ban was lifted").isEqualTo(200);
		}
		assertThat(actual).isEqualTo(documented).hasSize(4);
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

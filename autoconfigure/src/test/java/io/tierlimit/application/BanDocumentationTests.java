package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Path;

import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends every request of docs/bans.md, and compares the responses with the page.
 */
@Tag("conventions")
class BanDocumentationTests {

	@TempDir
	private Path directory;

	@Test
	void responsesAreAsDocumented() throws IOException {
		DocumentedExchanges page = new DocumentedExchanges(Path.of("../docs/bans.md"));
		try (RunningApplication application = RunningApplication.start(TestApplication.class,
				page.configuration(this.directory), "management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted")) {
			for (int i = 0; i < 21; i++) {
				Response response = application.get("/orders/1");
				assertThat(response.status()).isEqualTo((i < 2) ? 200 : 429);
				assertThat(response.body()).doesNotContain("abnormal-usage-detected");
			}
			page.compare(application, 4);
			assertThat(application.get("/orders/1").status()).as("the ban was lifted").isEqualTo(200);
		}
	}

}

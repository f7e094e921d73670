package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Path;

import io.tierlimit.redis.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends the requests of docs/operations.md, and compares the responses with the page.
 */
@Tag("conventions")
class OffenderDocumentationTests {

	@TempDir
	private Path directory;

	@Test
	void responsesAreAsDocumented() throws IOException {
		DocumentedExchanges page = new DocumentedExchanges(Path.of("../docs/operations.md"));
		try (RunningApplication application = RunningApplication.start(TestApplication.class,
				page.configuration(this.directory), "tierlimit.client-ip.trusted-proxies=127.0.0.0/8",
				"management.endpoints.web.exposure.include=ratelimits",
				"management.endpoint.ratelimits.access=unrestricted")) {
			for (int i = 0; i < 11; i++) {
				application.get("/orders/1", "X-Forwarded-For", "203.0.113.7");
			}
			for (int i = 0; i < 3; i++) {
				application.get("/orders/1", "X-Forwarded-For", "203.0.113.8");
			}
			// A request is counted at its end, which may be after the response.
			Poll.until(() -> application.get("/actuator/ratelimits/orders/offenders").json("$.rejections").equals(10),
					() -> "not counted");
			page.compare(application, 2);
			assertThat(application.get("/orders/1", "X-Forwarded-For", "203.0.113.7").status()).as("the ban was lifted")
				.isEqualTo(200);
		}
	}

}

package io.tierlimit.application;

import java.io.IOException;
import java.nio.file.Path;

import io.tierlimit.redis.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends every request of docs/actuator.md, and compares the responses with the page. Run
 * with the system property {@code docs.write} to write the responses to the page.
 */
@Tag("conventions")
class ActuatorDocumentationTests {

	@TempDir
	private Path directory;

	@Test
	void answersAreAsDocumented() throws IOException {
		DocumentedExchanges page = new DocumentedExchanges(Path.of("../docs/actuator.md"));
		try (RunningApplication application = RunningApplication.start(TestApplication.class,
				page.configuration(this.directory), "management.endpoint.health.show-details=always")) {
			for (int i = 0; i < 4; i++) {
				application.getAs("alice", "/orders/1");
			}
			// A request is counted at its end, which may be after the response.
			Poll.until(() -> application.get("/actuator/ratelimits/everybody").body().contains("\"rejected\":1"),
					() -> "not counted");
			page.compare(application, 10);
		}
	}

}

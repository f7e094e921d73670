package io.tierlimit.application;

import java.nio.file.Path;

import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the configuration of the page about requests in flight.
 */
@Tag("slow")
class ConcurrencyPageTests {

	@Test
	void responseIsAsDocumented(@TempDir Path directory) {
		DocumentationPage page = DocumentationPage.of("concurrency");
		try (RunningApplication application = RunningApplication.start(SecuredApplication.class,
				page.configuration(directory))) {
			RateLimiter limiter = application.bean(RateLimiter.class);
			PermitRequest export = PermitRequest.of("exports").user("alice");
			try (Hold first = limiter.hold(export); Hold second = limiter.hold(export)) {
				assertThat(first.verdict().allowed() && second.verdict().allowed()).isTrue();
				page.assertResponse(0, application.getAs("alice", "/exports/1"));
			}
			assertThat(application.getAs("alice", "/exports/1").header("RateLimit")).isEqualTo("\"exports\";r=1");
		}
	}

}

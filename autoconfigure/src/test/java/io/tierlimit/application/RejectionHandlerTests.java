package io.tierlimit.application;

import java.util.List;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.Verdict;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.spi.RateLimitRejectionHandler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the handler of docs/headers.md over HTTP, see {@link DocumentationTests}.
 */
@Tag("slow")
class RejectionHandlerTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	@Test
	void violatedLimitIs429WithTheWait() {
		RunningApplication application = start("r.rate=1/d");
		application.get("/any");
		Response rejected = application.get("/any");
		assertAnswer(rejected, 429, "Too many requests – slow down");
		assertThat(rejected.json("$.retryAfter")).isEqualTo(86400);
		assertThat(rejected.header("Retry-After")).isEqualTo("86400");
		assertThat(rejected.rateLimit()).containsOnlyKeys("r");
	}

	@Test
	void otherRejectionsHaveTheirStatusAndNoWait() {
		Response never = start("r.rate=1/d", "r.cost=method == 'GET' ? 2 : 1").get("/any");
		assertAnswer(never, 429, "Too many requests – slow down");
		assertThat(never.body()).doesNotContain("retryAfter");
		assertAnswer(start("r.rate=1/d").get("/invalid"), 400, "Rejected");
		assertAnswer(start("r.rate=1/d", "r.scope=user", "r.anonymous=deny").get("/any"), 403, "Rejected");
	}

	@Test
	void outageIs503() {
		RedisServer server = RedisServer.start();
		try (server) {
			RunningApplication application = applications.startOwn(OwnRejections.class, RunningApplication
				.redis(server.port(), "tierlimit.rules.r.rate=9/d", "tierlimit.rules.r.on-store-failure=deny"));
			assertThat(application.get("/any").status()).isEqualTo(200);
			server.kill();
			assertAnswer(application.get("/any"), 503, "Rejected");
		}
	}

	private static RunningApplication start(String... rules) {
		return applications.startWithRules(OwnRejections.class, rules);
	}

	private static void assertAnswer(Response rejected, int status, String message) {
		assertThat(rejected.status()).isEqualTo(status);
		assertThat(rejected.header("Content-Type")).isEqualToIgnoringCase("application/json;charset=UTF-8");
		assertThat(rejected.json("$.status")).isEqualTo(status);
		assertThat(rejected.json("$.message")).isEqualTo(message);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Invalid.class })
	static class OwnRejections {

		// What docs/headers.md shows begins here.
		@Bean
		RateLimitRejectionHandler rejections() {
			return (verdict, request, response) -> {
				int status = response.getStatus(); // 429, 403, 400 or 503, as it is set
				String message = (status == 429) ? "Too many requests – slow down" : "Rejected";
				String wait = response.getHeader("Retry-After");
				response.setContentType("application/json");
				response.setCharacterEncoding("UTF-8");
				response.getWriter()
					.write("{\"status\":" + status + ",\"message\":\"" + message + "\""
							+ ((wait != null) ? ",\"retryAfter\":" + wait : "") + "}");
			};
		}
		// What docs/headers.md shows ends here.

	}

	@RestController
	static class Invalid {

		@GetMapping("/invalid")
		String invalid() {
			throw new RateLimitExceededException(new Verdict(Verdict.Outcome.INVALID, List.of()));
		}

	}

}

package io.tierlimit.application;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import io.tierlimit.application.RunningApplication.Response;
import jakarta.servlet.http.HttpServlet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class RateLimitedTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@BeforeEach
	void start() {
		this.application = applications.start(AnnotatedApplication.class, "tierlimit.keys.hash=none",
				"tierlimit.rules.meta.applies-to=code", "tierlimit.rules.meta.rate=1/d",
				"spring.aop.proxy-target-class=false");
	}

	@Test
	void composedAnnotationIsSupported() {
		this.application.assertAllowed(1, 2, "/meta");
	}

	@Test
	void lazyApplicationOnVirtualThreadsIsLimited() {
		try (RunningApplication lazy = RunningApplication.start(AnnotatedApplication.class,
				"spring.main.lazy-initialization=true", "spring.threads.virtual.enabled=true",
				"spring.aop.proxy-target-class=false", "tierlimit.rules.meta.rate=9/d")) {
			assertThat(lazy.get("/inline").status()).isEqualTo(200);
			assertThat(lazy.get("/inline").policies()).containsKey("Methods.inline");
			assertThat(lazy.get("/inline").status()).isEqualTo(429);
		}
	}

	@Test
	void exceptionHandlerOfTheApplicationComesFirst() {
		assertThat(this.application.get("/whole/c/x").status()).isEqualTo(200);
		Response handled = this.application.get("/whole/c/x");
		assertThat(handled.status()).isEqualTo(503);
		assertThat(handled.body()).startsWith("Over the limit of 'advised'");
		assertThat(handled.header("Retry-After")).isEmpty();
		assertThat(this.application.get("/whole/a").rateLimit().get("Whole")).as("refunded").containsEntry("r", 1L);
	}

	@Test
	void servletMayHaveBegunItsResponse() {
		Response sent = this.application.getAs("bob", "/mail-servlet?writer");
		assertThat(sent.status()).isEqualTo(200);
		assertThat(sent.body()).isEqualTo("sent");
		for (String begun : List.of("writer", "stream")) {
			Response rejected = this.application.getAs("bob", "/mail-servlet?" + begun);
			assertThat(rejected.status()).isEqualTo(429);
			assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(rejected.header("ETag")).isEmpty();
			assertThat(rejected.response().headers().allValues("X-Mail")).containsExactly("first", "second");
			assertThat(rejected.json("$.status")).isEqualTo(429);
		}
	}

	@Test
	void userOutsideARequestIsTheUserOfSpringSecurity() {
		SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("carol", "", "A"));
		try {
			assertThat(this.application.bean(Mails.class).send()).isEqualTo("sent");
		}
		finally {
			SecurityContextHolder.clearContext();
		}
		assertThat(this.application.consumed("mails", "carol")).isGreaterThan(0);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Methods.class, Whole.class })
	static class AnnotatedApplication {

		@Bean
		Mails mails() {
			return new SmtpMails();
		}

		@Bean
		ServletRegistrationBean<HttpServlet> mailServlet(Mails mails) {
			return Registrations.servlet("/mail-servlet", (request, response) -> {
				response.addHeader("X-Mail", "first");
				response.addHeader("X-Mail", "second");
				if ("writer".equals(request.getQueryString())) {
					response.setContentType("text/plain");
					response.setHeader("etag", "\"mail\"");
					response.getWriter().write("sent");
				}
				else if ("stream".equals(request.getQueryString())) {
					response.setContentLength(40);
					response.getOutputStream().write("sent".getBytes(StandardCharsets.UTF_8));
				}
				mails.send();
			});
		}

	}

	@RateLimited("meta")
	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.METHOD)
	@interface Expensive {

	}

	@RestController
	static class Methods {

		@RateLimited(rate = "${inline.rate:2/d}", scope = "ip")
		@GetMapping("/inline")
		String inline() {
			return "ok";
		}

		@Expensive
		@GetMapping("/meta")
		String meta() {
			return "ok";
		}

	}

	@RateLimited(rate = "3/d")
	@RestController
	static class Whole {

		@GetMapping("/whole/a")
		String first() {
			return "ok";
		}

		@RateLimited(rate = "1/d", name = "advised", key = "#id")
		@GetMapping("/whole/c/{id}")
		String third(@PathVariable String id) {
			return "ok";
		}

		@ExceptionHandler(RateLimitExceededException.class)
		ResponseEntity<String> handle(RateLimitExceededException ex) {
			return ResponseEntity.status(503).body(ex.getMessage());
		}

	}

	/**
	 * An interface that is annotated.
	 */
	interface Mails {

		@RateLimited(rate = "1/d", name = "mails", scope = "user")
		String send();

	}

	static final class SmtpMails implements Mails {

		@Override
		public String send() {
			return "sent";
		}

	}

}

package io.tierlimit.application;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimited;
import jakarta.servlet.http.HttpServlet;

import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Uses the annotation at every place that it supports.
 */
@Configuration(proxyBeanMethods = false)
@Import({ TestApplication.class, AnnotatedApplication.Methods.class, AnnotatedApplication.Whole.class,
		AnnotatedApplication.Transfers.class })
class AnnotatedApplication {

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

	@RateLimited("meta")
	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.METHOD)
	@interface Expensive {

	}

	@RestController
	static class Methods {

		private final Transfers transfers;

		private final Mails mails;

		Methods(Transfers transfers, Mails mails) {
			this.transfers = transfers;
			this.mails = mails;
		}

		@RateLimited("named")
		@GetMapping("/named")
		String named() {
			return "ok";
		}

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

		@RateLimited(value = "request-rule", key = "#tenant")
		@GetMapping("/own-key/{tenant}")
		String ownKey(@PathVariable String tenant) {
			return "ok";
		}

		@RateLimited(value = "request-rule", cost = "3")
		@GetMapping("/own-cost")
		String ownCost() {
			return "ok";
		}

		@GetMapping("/transfer/{account}")
		String transfer(@PathVariable String account) {
			return this.transfers.transfer(account, 1);
		}

		@GetMapping("/transfer/caught/{account}")
		String caught(@PathVariable String account) {
			try {
				return this.transfers.transfer(account, 1);
			}
			catch (RateLimitExceededException ex) {
				return "caught";
			}
		}

		@GetMapping("/mail")
		String mail() {
			return this.mails.send();
		}

		@GetMapping("/mail/async")
		Callable<String> mailAsync() {
			return this.mails::send;
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

	static class Transfers {

		@RateLimited(rate = "1/d", burst = "2", name = "transfers", key = "#account")
		@RateLimited("request-rule")
		String transfer(String account, int amount) {
			return "sent";
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

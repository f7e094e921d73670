package io.tierlimit.application;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.RateLimited;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Handlers whose costs and keys are calculated from client-supplied values.
 */
@Configuration(proxyBeanMethods = false)
@Import({ TestApplication.class, ExpressionApplication.Handlers.class })
class ExpressionApplication {

	@RestController
	static class Handlers {

		private final AtomicInteger calls = new AtomicInteger();

		@RateLimited(rate = "1/d", burst = "100", name = "payments", cost = "#payment.rows + #payment.fees[0] * 2")
		@PostMapping("/payments")
		String pay(@RequestBody Payment payment) {
			return served();
		}

		@RateLimited(rate = "1/d", burst = "100", name = "amounts", cost = "#payment.rows")
		@PostMapping("/amounts")
		String amounts(@RequestBody Payment payment) {
			return served();
		}

		@RateLimited(rate = "1/d", burst = "100", name = "by-amount", key = "'a' + #payment.amount")
		@PostMapping("/keyed")
		String keyed(@RequestBody Payment payment) {
			return served();
		}

		@RateLimited(rate = "1/d", burst = "100", name = "rows", cost = "#rows * 10")
		@GetMapping("/rows")
		String rows(@RequestParam int rows) {
			return served();
		}

		@RateLimited(rate = "1/d", name = "tags", key = "#tags")
		@GetMapping("/tags")
		String tags(@RequestParam String[] tags) {
			return served();
		}

		@RateLimited(rate = "1/d", name = "decimals", key = "#amount")
		@GetMapping("/decimals")
		String decimals(@RequestParam BigDecimal amount) {
			return served();
		}

		@RateLimited(rate = "1/d", name = "forms", key = "#form.value")
		@GetMapping("/forms")
		String forms(@ModelAttribute Form form) {
			return served();
		}

		@GetMapping("/served")
		String served() {
			this.calls.incrementAndGet();
			return "ok";
		}

		int calls() {
			return this.calls.get();
		}

	}

	/** A form without a text. */
	static class Form {

		private String name = "";

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

		public Object getValue() {
			return this;
		}

	}

	/** A body. */
	record Payment(BigDecimal amount, Object rows, List<BigDecimal> fees) {

	}

}

package io.tierlimit.application;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.RateLimited;
import io.tierlimit.application.RunningApplication.Response;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests numbers and strings with which a client tries to reduce a cost, to use much time,
 * or to bypass a rule.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class ExpressionTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	private int served;

	/** A request that takes longer than 30 seconds fails. */
	@ParameterizedTest
	@ValueSource(strings = { "1E+50000000", "1E-50000000", "1E+2147483647", "-1E+50000000" })
	void numberOfABodyIsNeverExpanded(String number) {
		start();
		for (String path : new String[] { "/payments", "/amounts", "/keyed" }) {
			String body = "{\"amount\": " + number + ", \"rows\": " + number + ", \"fees\": [1]}";
			assertThat(this.application.postJson(path, body).status()).as(path).isEqualTo(400);
		}
		assertThat(this.application.postJson("/payments", "{\"rows\": 1, \"fees\": [" + number + "]}").status())
			.isEqualTo(400);
		assertThat(calls()).isZero();
		assertThat(this.application.postJson("/payments", "{\"rows\": 1.5, \"fees\": [1]}").status()).isEqualTo(400);
		assertThat(this.application.postJson("/amounts", "{\"rows\": 2, \"fees\": []}").status()).isEqualTo(200);
		assertThat(this.application.consumed("amounts", "")).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "429496730, 429", "429496729, 429", "-1, 400", "-429496729, 400", "11, 429", "3, 200" })
	void costDoesNotOverflow(String rows, int status) {
		start();
		assertThat(this.application.get("/rows?rows=" + rows).status()).isEqualTo(status);
		assertThat(calls()).isEqualTo((status == 200) ? 1 : 0);
		assertThat(this.application.consumed("rows", "")).isEqualTo((status == 200) ? 30 : 0);
	}

	@Test
	void negativeCostIsRejectedAndNothingIsCharged(CapturedOutput output) {
		start("global.rate=1/d", "global.burst=100", "negative.rate=1/d", "negative.burst=100",
				"negative.cost=param('rows')?.length() - 3");
		Response response = this.application.get("/served?rows=1");
		assertThat(response.status()).isEqualTo(400);
		assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(this.application.consumed("global", "")).isZero();
		this.application.get("/served?rows=1");
		assertThat(calls()).isZero();
		assertThat(output).containsOnlyOnce("Rule 'negative' treated a request as invalid because its cost");
	}

	@Test
	void keyThatAClientMakesFailDoesNotSkipTheRule(CapturedOutput output) {
		start("keyed.rate=1/d", "keyed.key=param('username').substring(0, 3)", "keyed.on-missing-key=skip");
		this.application.assertAllowed(1, 2, "/served?username=alice");
		for (int i = 0; i < 3; i++) {
			assertThat(this.application.get("/served?username=al").status()).isEqualTo(400);
		}
		assertThat(calls()).isEqualTo(1);
		assertThat(output).containsOnlyOnce("Rule 'keyed' treated a request as invalid because its key "
				+ "'param('username').substring(0, 3)' failed: StringIndexOutOfBoundsException");
	}

	@Test
	void arrayIsTheSameKeyInEveryRequest() {
		start();
		this.application.assertAllowed(1, 2, "/tags?tags=a&tags=b");
		assertThat(this.application.get("/tags?tags=a").status()).isEqualTo(200);
	}

	@Test
	void everyNotationOfANumberHasTheSameBucket() {
		start();
		assertThat(this.application.get("/decimals?amount=1").status()).isEqualTo(200);
		for (String amount : new String[] { "1.0", "1E0", "1.00", "0.1E1", "10E-1" }) {
			assertThat(this.application.get("/decimals?amount=" + amount).status()).as(amount).isEqualTo(429);
		}
		assertThat(this.application.get("/decimals?amount=1E999999999").status()).isEqualTo(400);
		assertThat(calls()).isEqualTo(1);
	}

	@Test
	void objectWithoutATextIsRejected(CapturedOutput output) {
		start();
		for (int i = 0; i < 3; i++) {
			assertThat(this.application.get("/forms?name=a").status()).isEqualTo(400);
		}
		assertThat(calls()).isZero();
		assertThat(output).containsOnlyOnce("Form cannot be a key");
	}

	/** A request that takes longer than 30 seconds fails. */
	@ParameterizedTest
	@ValueSource(strings = { "param('q') matches '(a+)+b'", "!(param('q') matches '(a|aa)+b')" })
	void regularExpressionNeverRunsLong(String condition) {
		start("never.rate=1/d", "never.condition=" + condition);
		assertThat(this.application.get("/served?q=aaab").status()).isEqualTo(200);
		for (int i = 0; i < 2; i++) {
			assertThat(this.application.get("/served?q=" + "a".repeat(5000)).status()).isIn(400, 429);
		}
		assertThat(calls()).isEqualTo(1);
	}

	private void start(String... rules) {
		this.application = applications.startWithRules(ExpressionApplication.class, rules);
		this.served = this.application.bean(ExpressionApplication.Handlers.class).calls();
	}

	private int calls() {
		return this.application.bean(ExpressionApplication.Handlers.class).calls() - this.served;
	}

	/**
	 * Handlers whose costs and keys are calculated from client-supplied values.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, ExpressionApplication.Handlers.class })
	static class ExpressionApplication {

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

		/** A form without a field that is a string. */
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

}

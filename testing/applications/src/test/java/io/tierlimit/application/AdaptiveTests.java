package io.tierlimit.application;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.junit.Poll;
import io.tierlimit.option.adaptive.AdaptiveRateUpdater;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.store.SimulatedTicker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests adaptive rates over HTTP, with the thread that updates them.
 */
@Tag("slow")
class AdaptiveTests {

	private static final String TRUSTED_PROXIES = "tierlimit.client-ip.trusted-proxies=127.0.0.0/8,::1";

	private static final String[] REPORTS = { "tierlimit.rules.reports.paths=/reports/**",
			"tierlimit.rules.reports.rate=1000/h", "tierlimit.rules.reports.adaptive.min-rate=500/h", TRUSTED_PROXIES,
			"management.endpoints.web.exposure.include=*", "management.endpoint.ratelimits.access=unrestricted" };

	@Test
	void errorsReduceTheRateUntilTheResourceHasRecovered() {
		try (RunningApplication application = start("tierlimit.rules.reports.adaptive.max-error-rate=5%")) {
			Reports reports = application.bean(Reports.class);
			SimulatedTicker ticker = application.bean(SimulatedTicker.class);
			assertThat(application.get("/reports/1").header("RateLimit-Policy")).isEqualTo("\"reports\";q=1000;w=3600");
			reports.fail.set(true);
			ticker.advance(1);
			IntStream.range(0, 10)
				.forEach((i) -> assertThat(getFrom(i, application, "/reports/1").status()).isEqualTo(503));
			awaitShare(application, 0.8);
			assertThat(application.get("/reports/1").header("RateLimit-Policy")).isEqualTo("\"reports\";q=1000;w=4500");
			assertThat(gauge(application)).isEqualTo(0.8);
			for (double share : new double[] { 0.64, 0.5 }) {
				ticker.advance(Duration.ofSeconds(2));
				IntStream.range(0, 10).forEach((i) -> getFrom(i, application, "/reports/1"));
				awaitShare(application, share);
			}
			assertThat(application.get("/reports/1").header("RateLimit-Policy")).isEqualTo("\"reports\";q=1000;w=7200");
			reports.fail.set(false);
			// Without requests, the resource is healthy after ten seconds.
			Poll.until(() -> {
				ticker.advance(Duration.ofSeconds(1));
				application.bean(AdaptiveRateUpdater.class).update();
				return share(application) == 1;
			}, () -> "share: " + share(application));
			assertThat(gauge(application)).isEqualTo(1);
		}
	}

	@Test
	void responseIsAsDocumented(@TempDir Path directory) {
		DocumentationPage page = DocumentationPage.of("adaptive");
		try (RunningApplication application = RunningApplication.start(Application.class, page.configuration(directory),
				TRUSTED_PROXIES, "management.endpoints.web.exposure.include=*")) {
			application.bean(Reports.class).fail.set(true);
			IntStream.range(0, 20).forEach((i) -> getFrom(i, application, "/reports/1"));
			awaitShare(application, 0.8);
			page.compare(application, 1);
		}
	}

	/** Sends a request from one of several addresses. */
	private static Response getFrom(int address, RunningApplication application, String path) {
		return application.get(path, "X-Forwarded-For", "192.0.2." + address);
	}

	/** Updates the rates more often than the thread, which does so once per second. */
	private static void awaitShare(RunningApplication application, double share) {
		AdaptiveRateUpdater updater = application.bean(AdaptiveRateUpdater.class);
		Poll.until(() -> {
			updater.update();
			return share(application) == share;
		}, () -> "share: " + share(application));
	}

	private static double share(RunningApplication application) {
		Response rule = application.get("/actuator/ratelimits/reports");
		return ((Number) rule.json("$.adaptive.share")).doubleValue();
	}

	private static double gauge(RunningApplication application) {
		return application.bean(MeterRegistry.class)
			.get("tierlimit.adaptive.share")
			.tag("rule", "reports")
			.gauge()
			.value();
	}

	private static RunningApplication start(String... properties) {
		return RunningApplication.start(Application.class, RunningApplication.with(REPORTS, properties));
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ TestApplication.class, Reports.class })
	static class Application {

		@Bean
		OverloadSignal reportPool(Reports reports) {
			return reports.overloaded::get;
		}

	}

	/**
	 * The resource that the rule protects.
	 */
	@RestController
	static class Reports {

		private final AtomicBoolean fail = new AtomicBoolean();

		private final AtomicBoolean overloaded = new AtomicBoolean();

		@GetMapping("/reports/{id}")
		ResponseEntity<String> report(@PathVariable String id) {
			return ResponseEntity.status(this.fail.get() ? 503 : 200).body(id);
		}

	}

}

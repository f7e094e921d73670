package com.example.moving;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

import com.giffing.bucket4j.spring.boot.starter.context.RateLimitException;
import io.micrometer.core.instrument.MeterRegistry;
import io.tierlimit.RateLimitExceededException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The examples and the differences of {@code docs/migrating-from-bucket4j.md}. No bucket
 * refills within a test.
 */
class Bucket4jMigrationTests extends MigrationTests {

	@Autowired
	private OldExports oldExports;

	@Autowired
	private NewExports newExports;

	@Autowired
	private MeterRegistry meters;

	@Test
	void eachUserHasALimitAndARejectedRequestConsumesNothingInTierlimit() throws Exception {
		assertThat(statuses(5, "/old/search", "X-User", "alice")).containsExactly(200, 200, 200, 429, 429);
		assertThat(statuses(5, "/new/search", "X-User", "alice")).containsExactly(200, 200, 200, 429, 429);
		// The two rejected requests have consumed the limit of all users in the old library.
		assertThat(statuses(3, "/old/search", "X-User", "bob")).containsExactly(200, 429, 429);
		assertThat(statuses(3, "/new/search", "X-User", "bob")).containsExactly(200, 200, 200);
		assertThat(statuses(1, "/new/search", "X-User", "carol")).containsExactly(429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/old", "/new" })
	void onlyOneOfTwoLimitsAppliesToARequest(String generation) throws Exception {
		String path = generation + "/prices";
		assertThat(statuses(6, path, "X-Partner", "acme")).containsExactly(200, 200, 200, 200, 200, 429);
		assertThat(statuses(1, path, "X-Partner", "globex")).containsExactly(200);
		assertThat(statuses(3, path)).containsExactly(200, 200, 429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/old", "/new" })
	void onlyFailedLoginsAreCharged(String generation) throws Exception {
		List<Integer> statuses = new ArrayList<>();
		for (String password : List.of("right", "wrong", "wrong", "right", "right", "wrong", "right", "wrong")) {
			statuses.add(post(generation + "/login?password=" + password));
		}
		assertThat(statuses).containsExactly(200, 401, 401, 200, 200, 401, 429, 429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/old", "/new" })
	void requestOfAMethodConsumesSeveralPermits(String generation) throws Exception {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			statuses.add(post(generation + "/reports"));
		}
		assertThat(statuses).containsExactly(200, 200, 200, 200, 200, 429);
		assertThat(statuses(3, generation + "/reports")).containsOnly(200);
	}

	@Test
	void rejectedCallOfAMethodIsAnErrorInTheOldLibraryAndA429InTierlimit() throws Exception {
		assertThat(statuses(3, "/old/exports/alice")).containsExactly(200, 200, 500);
		assertThat(statuses(3, "/new/exports/alice")).containsExactly(200, 200, 429);
		assertThat(statuses(1, "/old/exports/bob")).containsExactly(200);
		assertThat(statuses(1, "/new/exports/bob")).containsExactly(200);
	}

	@Test
	void methodsShareALimitInTierlimitOnly() {
		this.oldExports.export("carol");
		this.oldExports.export("carol");
		this.newExports.export("carol");
		this.newExports.export("carol");
		assertThat(this.oldExports.preview("carol")).isEqualTo("Preview for carol");
		assertThatExceptionOfType(RateLimitException.class).isThrownBy(() -> this.oldExports.export("carol"));
		assertThatExceptionOfType(RateLimitExceededException.class)
			.isThrownBy(() -> this.newExports.preview("carol"));
	}

	@Test
	void anotherSpellingOfAPathBypassesTheOldLibraryOnly() throws Exception {
		assertThat(statuses(6, "/old/prices", "X-Partner", "initech")).endsWith(429);
		assertThat(statuses(6, "/new/prices", "X-Partner", "initech")).endsWith(429);
		assertThat(statuses(1, "/old/price%73", "X-Partner", "initech")).containsExactly(200);
		assertThat(statuses(1, "/new/price%73", "X-Partner", "initech")).containsExactly(429);
	}

	@Test
	void headersBodiesAndMetersDiffer() throws Exception {
		HttpResponse<String> old = get("/old/prices", "X-Partner", "hooli");
		assertThat(old.headers().firstValue("X-Rate-Limit-Remaining")).hasValue("4");
		HttpResponse<String> now = get("/new/prices", "X-Partner", "hooli");
		assertThat(now.headers().firstValue("RateLimit-Remaining")).hasValue("4");
		assertThat(now.headers().firstValue("RateLimit-Policy")).hasValue("\"prices-for-partners\";q=5;w=3600");
		statuses(4, "/old/prices", "X-Partner", "hooli");
		statuses(4, "/new/prices", "X-Partner", "hooli");

		HttpResponse<String> oldRejection = get("/old/prices", "X-Partner", "hooli");
		assertThat(oldRejection.headers().map()).containsKey("X-Rate-Limit-Retry-After-Seconds")
			.doesNotContainKey("Retry-After");
		assertThat(oldRejection.body()).isEqualTo("{ \"message\": \"Too many requests!\" }");
		HttpResponse<String> rejection = get("/new/prices", "X-Partner", "hooli");
		assertThat(rejection.headers().map()).containsKey("Retry-After");
		assertThat(rejection.headers().firstValue("Content-Type")).hasValue("application/problem+json");

		assertThat(this.meters.get("bucket4j_summary_rejected").tag("name", "buckets").counter().count()).isPositive();
		assertThat(this.meters.get("tierlimit.requests")
			.tags("rule", "prices-for-partners", "outcome", "rejected")
			.counter()
			.count()).isPositive();
	}

}

package io.tierlimit.sample;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.PermitRequest;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that failed logins are limited by account and by address, but successful logins
 * are not.
 */
@ShopTest
@Tag("slow")
class LoginTests {

	private static final String ACCOUNT = "login-failures-per-account";

	private static final String ADDRESS = "login-failures-per-address";

	/** A path for the operator. */
	private static final String OPERATED = "/actuator/ratelimits";

	private final Shop shop;

	LoginTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void guessesOfPasswordsAreLimited() {
		guess("fred", 5);
		Reply rejected = this.shop.login("fred", "secret");
		assertThat(rejected).as("the correct password is rejected")
			.isRateLimited()
			.violates(ACCOUNT)
			.retryAfter(Duration.ofMinutes(12));
		assertThat(this.shop.login("FRED", "guess")).isRateLimited();
		assertThat(this.shop.login("flora", "secret").status()).isEqualTo(204);
		this.shop.advance(Duration.ofMinutes(12));
		assertThat(this.shop.login("fred", "secret").status()).isEqualTo(204);
	}

	@Test
	void successResetsTheAccountAndNotTheAddress() {
		guess("fred", 4);
		assertThat(this.shop.login("fred", "secret").status()).isEqualTo(204);
		awaitLeft(PermitRequest.of(ADDRESS).ip(Shop.HERE), 16);
		awaitLeft(PermitRequest.of(ACCOUNT).part("key", "fred"), 5);
		guess("fred", 5);
		assertThat(this.shop.login("fred", "guess")).isRateLimited();
	}

	@Test
	void guessesAtManyAccountsAreLimitedByAddressAndOwnAccountResetsNothing() {
		for (int i = 0; i < 20; i++) {
			guess("account" + i, 1);
		}
		Reply rejected = this.shop.login("flora", "secret");
		assertThat(rejected).isRateLimited().violates(ADDRESS);
	}

	@Test
	void passwordsAreGuessedNoFasterAtOtherPaths() {
		List<String> paths = List.of("/", "/nothing", "/error", "/live/buckets", "/operator/", "/api/search?q=cup",
				"/actuator", "/actuator/health", "/actuator/ratelimits", "/actuator/nothing");
		List<Integer> statuses = IntStream.range(0, 300)
			.mapToObj((i) -> this.shop.getAs("olga", "guess" + i, paths.get(i % paths.size())).status())
			.toList();
		assertThat(statuses.subList(0, 20)).containsOnly(401);
		assertThat(statuses.subList(20, 300)).containsOnly(429);
		assertThat(this.shop.getAs("olga", OPERATED)).as("the correct password is rejected").isRateLimited();
		assertThat(this.shop.get("/").status()).as("without a password").isEqualTo(200);
		this.shop.advance(Duration.ofMinutes(3));
		assertThat(this.shop.getAs("olga", OPERATED).status()).isEqualTo(200);
	}

	@Test
	void correctPasswordsAtOtherPathsCostNothing() {
		for (int i = 0; i < 30; i++) {
			assertThat(this.shop.getAs("olga", OPERATED).status()).isEqualTo(200);
			awaitLeft(PermitRequest.of("wrong-passwords-per-address").ip(Shop.HERE), 20);
		}
	}

	private void guess(String user, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(this.shop.login(user, "guess" + i).status()).isEqualTo(401);
		}
	}

	/** The bucket is reset shortly after the response. */
	private void awaitLeft(PermitRequest bucket, long permits) {
		Poll.until(Duration.ofSeconds(60), () -> this.shop.leftOf(bucket) == permits,
				() -> bucket + " has " + this.shop.leftOf(bucket));
	}

}

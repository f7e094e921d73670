package io.tierlimit.sample;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.tierlimit.redis.Poll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failed logins are limited by account and by address, successful ones are not.
 */
@ShopTest
class LoginTests {

	private static final String ACCOUNT = "login-failures-per-account";

	private static final String ADDRESS = "login-failures-per-address";

	private final Shop shop;

	LoginTests(Shop shop) {
		this.shop = shop;
	}

	@Test
	void passwordsCanNotBeGuessedFast() {
		guess("fred", 5);
		Reply rejected = this.shop.login("fred", "secret");
		assertThat(rejected).as("the right password comes too late")
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
		awaitLeft(ADDRESS, 16, Shop.HERE);
		awaitLeft(ACCOUNT, 5, "fred");
		guess("fred", 5);
		assertThat(this.shop.login("fred", "guess")).isRateLimited();
	}

	@Test
	void successCostsNothingHoweverOften() {
		for (int i = 0; i < 30; i++) {
			assertThat(this.shop.login("paula", "secret").status()).isEqualTo(204);
			awaitLeft(ADDRESS, 20, Shop.HERE);
			awaitLeft(ACCOUNT, 5, "paula");
		}
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
	void guessesAtOnceAreNoMoreThanGuessesInARow() {
		List<CompletableFuture<Integer>> guesses = IntStream.range(0, 40)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> this.shop.login("emma", "guess" + i).status()))
			.toList();
		assertThat(guesses.stream().map(CompletableFuture::join).filter((status) -> status == 401)).hasSize(5);
	}

	private void guess(String user, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(this.shop.login(user, "guess" + i).status()).isEqualTo(401);
		}
	}

	/** The bucket is full again a moment after the answer. */
	private void awaitLeft(String rule, long permits, String key) {
		Poll.until(Duration.ofSeconds(60), () -> this.shop.leftOf(rule, key) == permits,
				() -> rule + " has " + this.shop.leftOf(rule, key));
	}

}

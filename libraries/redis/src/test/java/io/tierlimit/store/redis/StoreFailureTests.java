package io.tierlimit.store.redis;

import io.lettuce.core.RedisConnectionException;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreFailure}: its messages are logged.
 */
class StoreFailureTests {

	@Test
	void messageIsTheMessageOfTheFirstCause() {
		assertThat(failure(new RedisConnectionException("WRONGPASS invalid password")))
			.hasMessage("WRONGPASS invalid password");
	}

	@Test
	void messageOfAHandshakeThatFailsEarlyNamesWhatToCheck() {
		assertThat(failure(new IllegalStateException("RedisHandshakeHandler not registered"))).hasMessage(
				"the server rejected the connection during its handshake: check the user, the password and TLS");
	}

	private static StoreFailure failure(Exception cause) {
		return StoreFailure.of(new RedisConnectionFailureException("Unable to connect to Redis", cause));
	}

}

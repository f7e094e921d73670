package io.tierlimit;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Tests requests for permits.
 */
class PermitRequestTests {

	@Test
	void orderOfTheMethodsDoesNotMatter() {
		PermitRequest request = PermitRequest.of("r").part("user", "alice").plan("pro").endpoint("GET /x");
		PermitRequest other = PermitRequest.of("r").endpoint("GET /x").user("alice").plan("pro");
		assertThat(request).isEqualTo(other).hasSameHashCodeAs(other);
	}

	@Test
	void methodsReturnNewRequests() {
		PermitRequest request = PermitRequest.of("r");
		assertThat(request.user("alice")).isNotEqualTo(request);
		assertThat(request.cost(2)).isNotEqualTo(request);
		assertThat(request.plan("pro")).isNotEqualTo(request);
		assertThat(request).isEqualTo(PermitRequest.of("r"));
		assertThat(request.parts()).isEmpty();
		Map<String, String> parts = new HashMap<>(Map.of("user", "alice"));
		PermitRequest copy = new PermitRequest("r", parts, 1, null);
		parts.put("ip", "203.0.113.5");
		assertThat(copy).isEqualTo(request.user("alice"));
	}

	@Test
	void partThatIsGivenTwiceIsReported() {
		PermitRequest request = PermitRequest.of("r").user("alice").ip("203.0.113.5");
		assertThatIllegalArgumentException().isThrownBy(() -> request.part("user", "bob"))
			.withMessageContaining("'user' is given twice")
			.withMessageContaining("rule 'r'")
			.withMessageContaining("[ip, user]");
		assertThatIllegalArgumentException().isThrownBy(() -> request.user("alice"));
		assertThatIllegalArgumentException().isThrownBy(() -> request.ip("203.0.113.6"));
	}

	@Test
	@SuppressWarnings("NullAway")
	void partIsNotNull() {
		assertThatNullPointerException().isThrownBy(() -> PermitRequest.of("r").user(null))
			.withMessageContaining("user");
	}

}

package io.tierlimit.key;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeyHashTests {

	private static final String SECRET = "0123456789abcdef";

	/** The expected values were computed by another implementation (Python's hmac). */
	@Test
	void hashIsTheFirstHalfOfAnHmac() {
		KeyHash keyed = new KeyHash(KeyHashing.SENSITIVE, SECRET);
		assertThat(keyed.of("alice")).isEqualTo("4db6430ac170d4d180d0d7f558ed84fb");
		assertThat(keyed.of("k\uD83D\uDE42")).isEqualTo("f55b614ca0b345936abcc03d4534dbec");
	}

	@Test
	void withoutASecretTheHashIsTheSameInEveryApplication() {
		KeyHash hash = new KeyHash(KeyHashing.SENSITIVE, null);
		assertThat(hash.of("alice")).isEqualTo("f5b9b043aec76850e1817fc5bf7c1179");
	}

	@Test
	void loneSurrogatesAreDifferentCharacters() {
		KeyHash hash = new KeyHash(KeyHashing.SENSITIVE, null);
		assertThat(hash.of("\uD800")).isNotEqualTo(hash.of("\uD801")).isNotEqualTo(hash.of("?"));
	}

	@Test
	void shortSecretIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeyHash(KeyHashing.ALL, "0123456789abcde"))
			.withMessage("The secret for keys must have at least 16 characters (was 15)");
	}

	@ParameterizedTest
	@ValueSource(strings = { "alice", "alice@example.org", "192.0.2.1", "2001:db8:0:1::/64", "a-b_c.d~e+f=g,h", "" })
	void usualNamesStayReadable(String name) {
		assertThat(new KeyHash(KeyHashing.SENSITIVE, SECRET).hashesFact(name)).isFalse();
		assertThat(new KeyHash(KeyHashing.ALL, SECRET).hashesFact(name)).isTrue();
		assertThat(new KeyHash(KeyHashing.NONE, SECRET).hashesFact(name)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "a b", "{a}", "a|b", "a\\b", "(a", "a\n", "\u0000", "b\u00fcro", "\uD83D\uDE42", "a'b", "*" })
	void unusualNamesAreHashed(String name) {
		assertThat(new KeyHash(KeyHashing.SENSITIVE, SECRET).hashesFact(name)).isTrue();
		assertThat(new KeyHash(KeyHashing.NONE, SECRET).hashesFact(name)).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void longPartsAreAlwaysHashed(KeyHashing hashing) {
		KeyHash hash = new KeyHash(hashing, SECRET);
		assertThat(hash.hashesFact("a".repeat(65))).isTrue();
		assertThat(hash.hashesSensitive("a".repeat(65))).isTrue();
		assertThat(hash.hashesSensitive("a".repeat(64))).isEqualTo(hashing != KeyHashing.NONE);
	}

}

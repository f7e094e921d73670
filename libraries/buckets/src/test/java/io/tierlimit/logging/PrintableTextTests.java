package io.tierlimit.logging;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PrintableTextTests {

	@Test
	void printableTextRemains() {
		assertThat(PrintableText.of("alice@example.com | 東京 \uD83D\uDE00"))
			.isEqualTo("alice@example.com | 東京 \uD83D\uDE00");
		assertThat(PrintableText.of("")).isEmpty();
	}

	/** Line breaks, an escape character, a change of the direction, half a character. */
	@ParameterizedTest
	@ValueSource(strings = { "\n", "\r", "\0", "\u0085", "\u2028", "\u2029", "\u001B", "\u202E", "\uD83D" })
	void otherCharactersAreReplaced(String character) {
		assertThat(PrintableText.of("a" + character + "b")).isEqualTo("a?b");
	}

}

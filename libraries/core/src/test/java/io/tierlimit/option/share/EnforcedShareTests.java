package io.tierlimit.option.share;

import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.rule.OptionValue.Enforcement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EnforcedShareTests {

	private static final List<String> KEYS = IntStream.range(0, 20_000).mapToObj((i) -> "user-" + i).toList();

	@Test
	void keysOfAShareNeverChange() {
		assertThat(KEYS.stream().limit(60).filter((key) -> new EnforcedShare(0.1).includes("orders", key)))
			.as("as on other instances and in other releases")
			.containsExactly("user-1", "user-8", "user-14", "user-15", "user-16", "user-28", "user-31", "user-34",
					"user-54");
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0.005, 0.01, 0.1, 0.5, 0.99 })
	void shareHasItsSize(double size) {
		EnforcedShare share = new EnforcedShare(size);
		double included = KEYS.stream().filter((key) -> share.includes("orders", key)).count();
		assertThat(included / KEYS.size()).isBetween(size - 0.008, size + 0.008);
		assertThat(share.enforcement()).isEqualTo(Enforcement.SOME);
	}

	@Test
	void keyStaysInAShareThatGrows() {
		for (String key : KEYS) {
			boolean included = false;
			for (double size = 0.125; size <= 1; size += 0.125) {
				boolean now = new EnforcedShare(size).includes("orders", key);
				assertThat(now || !included).as(key).isTrue();
				included = now;
			}
			assertThat(included).isTrue();
		}
	}

	@Test
	void rulesChooseDifferentKeys() {
		EnforcedShare half = new EnforcedShare(0.5);
		for (String other : List.of("orderz", "search", "orders2")) {
			double both = KEYS.stream()
				.filter((key) -> half.includes("orders", key) && half.includes(other, key))
				.count();
			assertThat(100 * both / KEYS.size()).isBetween(24.0, 26.0);
		}
	}

	@Test
	void wholeShareIsEnforcedForAllKeys() {
		assertThat(EnforcedShare.ALL.enforcement()).isEqualTo(Enforcement.ALL);
	}

	@ParameterizedTest
	@CsvSource({ "-0.05, -5%", "-0.001, -0.1%", "0, 0%", "1.001, 100.1%", "5, 500%", "NaN, NaN%" })
	void sizeIsInRange(double size, String percentage) {
		assertThatIllegalArgumentException().isThrownBy(() -> new EnforcedShare(size))
			.withMessage("enforce-share must be above 0% and at most 100% (was " + percentage + ")");
	}

}

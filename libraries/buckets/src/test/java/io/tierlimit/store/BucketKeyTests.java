package io.tierlimit.store;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BucketKeyTests {

	/** Several of these keys have the same hash code. */
	private static final List<BucketKey> KEYS = List.of(new BucketKey("Aa", "x"), new BucketKey("BB", "x"),
			new BucketKey("x", "Aa"), new BucketKey("x", "BB"), new BucketKey("x", ""), new BucketKey("", "x"),
			new BucketKey("AaAa", "BBBB"), new BucketKey("AaBB", "BBAa"), new BucketKey("BBAa", "AaAa"));

	@Test
	void ruleAndKeyAreTheIdentity() {
		assertThat(new BucketKey("per-user", "ada")).isEqualTo(new BucketKey("per-user", "ada"))
			.hasSameHashCodeAs(new BucketKey("per-user", "ada"))
			.isNotEqualTo(new BucketKey("per-user", "bob"))
			.isNotEqualTo(new BucketKey("per-ip", "ada"))
			.isNotEqualTo(new BucketKey("per-userada", ""));
		assertThat(new BucketKey("Aa", "x")).hasSameHashCodeAs(new BucketKey("BB", "x"));
	}

	@Test
	void orderIsTotalAndAgreesWithEquality() {
		for (BucketKey first : KEYS) {
			for (BucketKey second : KEYS) {
				int order = first.compareTo(second);
				assertThat(order == 0).isEqualTo(first.equals(second));
				assertThat(Integer.signum(second.compareTo(first))).isEqualTo(-Integer.signum(order));
			}
		}
		List<BucketKey> sorted = new ArrayList<>(KEYS);
		sorted.sort(null);
		for (int i = 0; i < sorted.size(); i++) {
			BucketKey last = sorted.get(i);
			assertThat(sorted.subList(0, i)).allMatch((before) -> before.compareTo(last) < 0);
		}
	}

	@Test
	void textIsRuleAndKey() {
		assertThat(new BucketKey("per-user", "ada")).hasToString("per-user/ada");
		assertThat(new BucketKey("global", "")).hasToString("global");
	}

}

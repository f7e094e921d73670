package io.tierlimit.store;

import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ChargeTests {

	private static final BucketKey KEY = new BucketKey("per-user", "ada");

	private static final TokenBucket LIMIT = new TokenBucket(Rate.parse("1/s"));

	@Test
	void sumHasTheCostOfBothAndTheLimitOfTheFirst() {
		Charge first = new Charge(KEY, LIMIT, 2);
		Charge other = new Charge(KEY, new TokenBucket(Rate.parse("9/s")), 3, ChargeOptions.SHADOW);
		assertThat(first.plus(other)).isEqualTo(new Charge(KEY, LIMIT, 5));
	}

	@Test
	void sumIsNeverNegative() {
		Charge most = new Charge(KEY, LIMIT, Long.MAX_VALUE);
		assertThat(most.plus(new Charge(KEY, LIMIT, 1))).isEqualTo(most);
		assertThat(new Charge(KEY, LIMIT, 1).plus(most)).isEqualTo(most);
	}

	@Test
	void rejectsANegativeCost() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Charge(KEY, LIMIT, -1))
			.withMessage("The cost must not be negative (was -1)");
	}

}

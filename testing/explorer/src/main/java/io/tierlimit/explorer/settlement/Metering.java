package io.tierlimit.explorer.settlement;

import org.jspecify.annotations.Nullable;

/**
 * What the instance of a request counts.
 *
 * @param used the permits that the request has really used
 * @param metered the last total that code has metered; {@code null} for none
 * @param settled the value that code has settled; {@code null} for none
 * @param charged the permits that were acquired or sent
 */
record Metering(int used, @Nullable Integer metered, @Nullable Integer settled, int charged) {

	/** What is counted of a request that is not in flight. */
	static final Metering NONE = new Metering(0, null, null, 0);

	static Metering of(int estimate) {
		return NONE.charge(estimate);
	}

	Metering use() {
		return new Metering(this.used + 1, this.metered, this.settled, this.charged);
	}

	Metering meter() {
		return new Metering(this.used, this.used, this.settled, this.charged);
	}

	Metering settle() {
		return new Metering(this.used, this.metered, this.used, this.charged);
	}

	Metering charge(int permits) {
		return new Metering(this.used, this.metered, this.settled, this.charged + permits);
	}

	/** The permits that were metered and not charged. */
	int toSend() {
		return Math.max(0, least() - this.charged);
	}

	/** The permits that were metered; 0 if code has metered nothing. */
	int least() {
		return (this.metered != null) ? this.metered : 0;
	}

	/** The value that decides the actual cost; {@code null} if it is unknown. */
	@Nullable Integer value(@Nullable Integer actualCost) {
		if (this.settled != null) {
			return this.settled;
		}
		return (actualCost != null) ? actualCost : this.metered;
	}

}

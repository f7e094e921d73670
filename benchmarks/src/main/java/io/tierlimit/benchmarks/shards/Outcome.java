package io.tierlimit.benchmarks.shards;

import java.util.Arrays;

/**
 * The requests that each instance has received and admitted.
 */
final class Outcome {

	private final long[] received;

	private final long[] admitted;

	Outcome(int instances) {
		this.received = new long[instances];
		this.admitted = new long[instances];
	}

	void count(int instance, boolean allowed) {
		this.received[instance]++;
		this.admitted[instance] += allowed ? 1 : 0;
	}

	/** The requests that all instances have received. */
	long received() {
		return Arrays.stream(this.received).sum();
	}

	/** The requests that all instances have admitted. */
	long admitted() {
		return Arrays.stream(this.admitted).sum();
	}

	/** The percentage of the limit that no request has used. */
	double unused() {
		return 100 - 100.0 * admitted() / (Simulation.PER_SECOND * Simulation.SECONDS);
	}

	/** The least number of admitted requests, divided by the greatest number. */
	double evenness() {
		return (double) Arrays.stream(this.admitted).min().orElseThrow()
				/ Arrays.stream(this.admitted).max().orElseThrow();
	}

	/** The share of an instance's requests that is admitted, in percent. */
	double percentAdmitted(int instance) {
		return 100.0 * this.admitted[instance] / this.received[instance];
	}

}

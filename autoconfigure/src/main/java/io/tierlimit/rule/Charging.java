package io.tierlimit.rule;

import java.util.List;

/**
 * What a rule makes of how a request has ended: whether what it was charged stands, and
 * whether its bucket is full again.
 *
 * @param charge charged is only a request to which one of these has happened; empty:
 * every request
 * @param resetOn what makes the bucket full again; empty: nothing
 */
public record Charging(List<Occasion> charge, List<Occasion> resetOn) {

	/** The word for charging whatever happens. */
	public static final String ALWAYS = "always";

	/** What rules do that say nothing else. */
	public static final Charging STANDARD = new Charging(List.of(), List.of());

	/**
	 * Creates a charging.
	 * @throws IllegalArgumentException if a failed authentication is to reset, or one
	 * thing is to do both
	 */
	public Charging {
		charge = List.copyOf(charge);
		resetOn = List.copyOf(resetOn);
		if (resetOn.contains(AuthenticationResult.FAILURE)) {
			throw new IllegalArgumentException(
					"A bucket is not reset on " + AuthenticationResult.FAILURE + ": that would make guessing free");
		}
		for (Occasion reset : resetOn) {
			for (Occasion charged : charge) {
				if (reset.overlaps(charged)) {
					throw new IllegalArgumentException("A request is either charged for " + charged
							+ " or makes the bucket full by " + reset + ", not both");
				}
			}
		}
	}

	/**
	 * Whether it doesn't matter how requests end.
	 * @return whether every request is charged and none resets the bucket
	 */
	public boolean isStandard() {
		return this.charge.isEmpty() && this.resetOn.isEmpty();
	}

	/**
	 * Whether what a request was charged stands. Of a client that has gone it does: what
	 * he would have been told, he need not have waited for.
	 * @param ending how the request has ended
	 * @return whether it stands
	 */
	public boolean charges(Ending ending) {
		return this.charge.isEmpty() || ending.clientLeft() || happened(this.charge, ending);
	}

	/**
	 * Whether a request makes the bucket full again. What is charged for outweighs that:
	 * a request with a success beside a failure resets nothing. Nor does a success of
	 * which no more came than an error: it may have been somebody else's than the key
	 * names.
	 * @param ending how the request has ended
	 * @return whether it does
	 */
	public boolean resets(Ending ending) {
		boolean error = ending.status() >= 400;
		return !ending.clientLeft() && !happened(this.charge, ending) && this.resetOn.stream()
			.anyMatch((occasion) -> occasion.isIn(ending) && !(error && occasion instanceof AuthenticationResult));
	}

	/**
	 * Whether it matters what becomes of authentications.
	 * @return whether one of its words is about them
	 */
	public boolean waitsForAuthentication() {
		return this.charge.stream().anyMatch(AuthenticationResult.class::isInstance)
				|| this.resetOn.stream().anyMatch(AuthenticationResult.class::isInstance);
	}

	private static boolean happened(List<Occasion> occasions, Ending ending) {
		return occasions.stream().anyMatch((occasion) -> occasion.isIn(ending));
	}

}

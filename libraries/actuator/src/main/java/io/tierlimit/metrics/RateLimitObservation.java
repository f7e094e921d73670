package io.tierlimit.metrics;

import java.util.Locale;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.docs.ObservationDocumentation;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;

/**
 * All observations and their key values.
 */
enum RateLimitObservation implements ObservationDocumentation {

	/** An evaluation. Micrometer creates the timer of the same name, and a span. */
	EVALUATION;

	@Override
	public String getName() {
		return RateLimitMeter.EVALUATION.getName();
	}

	@Override
	public String getContextualName() {
		return "rate limit";
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return new KeyName[] { RateLimitTag.STORE };
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return SpanTag.values();
	}

	/**
	 * Tags that only spans have.
	 */
	public enum SpanTag implements KeyName {

		/** The outcome of the evaluation. */
		OUTCOME,

		/**
		 * The ids of the violated rules, separated by commas. The span of the request
		 * also has this tag.
		 */
		RULE;

		@Override
		public String asString() {
			return "tierlimit." + name().toLowerCase(Locale.ROOT);
		}

	}

}

package io.tierlimit.metrics;

import java.util.Locale;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.docs.ObservationDocumentation;
import io.tierlimit.metrics.RateLimitMeter.RateLimitTag;

/**
 * All observations and their key values.
 */
public enum RateLimitObservation implements ObservationDocumentation {

	/** An evaluation: makes the timer of the same name, and a span of a trace. */
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
	 * What stands in traces only.
	 */
	public enum SpanTag implements KeyName {

		/** What became of what was evaluated. */
		OUTCOME,

		/**
		 * The ids of the rules that rejected, joined by commas; on the span of the
		 * request, too.
		 */
		RULE;

		@Override
		public String asString() {
			return "tierlimit." + name().toLowerCase(Locale.ROOT);
		}

	}

}

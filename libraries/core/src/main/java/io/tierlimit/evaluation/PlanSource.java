package io.tierlimit.evaluation;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * Plans of users that are stored outside of requests and tokens, such as in a table.
 */
public interface PlanSource {

	/** Has no plans. */
	PlanSource NONE = new PlanSource() {

		@Override
		public @Nullable String planOf(Caller caller) {
			return null;
		}

		@Override
		public @Nullable String problem() {
			return null;
		}

	};

	/**
	 * The plan of a caller's user, as it was read last. Never waits for the source.
	 * @param caller the caller
	 * @return the plan; {@code null} if the user has none, or was not read yet
	 */
	@Nullable String planOf(Caller caller);

	/**
	 * Why plans cannot be read.
	 * @return a text without details of the source; {@code null} if the last attempt
	 * succeeded
	 */
	@Nullable String problem();

}

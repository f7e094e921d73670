package io.tierlimit.evaluation;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A source of users' plans outside of requests and tokens, such as a table.
 */
public interface PlanSource {

	/** A source without plans. */
	PlanSource NONE = new PlanSource() {
	};

	/**
	 * The plan of the user, as it was last read. Never waits for the source.
	 * @param caller the caller
	 * @return the plan; {@code null} if the user has no plan, or the plan has not been
	 * read yet
	 */
	default @Nullable String planOf(Caller caller) {
		return null;
	}

	/**
	 * Why plans cannot be read.
	 * @return the reason without details of the source; {@code null} if the last attempt
	 * succeeded
	 */
	default @Nullable String problem() {
		return null;
	}

}

package io.tierlimit.evaluation;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a caller by which an operator searches for buckets.
 */
record CallerQuery(@Nullable String user, @Nullable String ip, @Nullable String plan) implements Caller {

	CallerQuery withPlan(@Nullable String other) {
		return new CallerQuery(this.user, this.ip, other);
	}

}

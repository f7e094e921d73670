package io.tierlimit.evaluation;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A caller of whom an operator knows something.
 */
record CallerQuery(@Nullable String user, @Nullable String ip, @Nullable String plan) implements Caller {

	CallerQuery on(@Nullable String other) {
		return new CallerQuery(this.user, this.ip, other);
	}

}

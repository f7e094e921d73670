package io.tierlimit.evaluation;

import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A caller of whom an operator knows something.
 */
record KnownCaller(@Nullable String user, @Nullable String ip, @Nullable String plan) implements Caller {

	KnownCaller on(@Nullable String other) {
		return new KnownCaller(this.user, this.ip, other);
	}

}

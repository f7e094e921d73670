package io.tierlimit.evaluation;

import java.util.List;

import io.tierlimit.rule.CallerOverride;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidFactException;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of one caller, which are looked up once for all rules of a set.
 */
final class OverridesOfCaller {

	private final Caller caller;

	/** The one with the highest precedence first; {@code null} before the look-up. */
	private @Nullable List<CallerOverride> found;

	OverridesOfCaller(Caller caller) {
		this.caller = caller;
	}

	/**
	 * The override of a user or a network that concerns a rule and is in force;
	 * {@code null} if there is none.
	 * @throws InvalidFactException if the user or the address cannot be read
	 */
	@Nullable CallerOverride first(OverrideIndex index, String rule) {
		List<CallerOverride> known = this.found;
		if (known == null) {
			known = index.of(this.caller);
			this.found = known;
		}
		return index.first(known, rule);
	}

}

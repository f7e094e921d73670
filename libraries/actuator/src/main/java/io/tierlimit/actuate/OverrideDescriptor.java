package io.tierlimit.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Effect;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.rule.CallerOverride.Target;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * An override of a caller.
 *
 * @param id the id of the override
 * @param user the user that the override applies to; {@code null} for another target
 * @param address the address or the network that the override applies to, or {@code null}
 * @param key the named parts of the key that the override applies to, such as
 * {@code user:alice}, or {@code null}
 * @param rules the ids of the rules that it changes; empty for all rules
 * @param limits the caller's limits by the ids of rules; empty for other effects
 * @param unlimited whether the rules do not limit the caller
 * @param blocked whether the rules reject every request of the caller
 * @param from when it begins, if another override with the same id replaces it until
 * then; {@code null} otherwise
 * @param until when it ends; {@code null} if it does not end
 * @param ended whether it has ended
 * @param reason why there is an override, or {@code null}
 * @param origin where it is defined: a file and line, a table and row, or the management
 * endpoint
 */
record OverrideDescriptor(String id, @Nullable String user, @Nullable String address, @Nullable List<String> key,
		List<String> rules, Map<String, LimitDescriptor> limits, boolean unlimited, boolean blocked,
		@Nullable Instant from, @Nullable Instant until, boolean ended, @Nullable String reason,
		String origin) implements OperationResponseBody {

	static OverrideDescriptor of(CallerOverride override, String origin, Instant now) {
		Target target = override.target();
		Map<String, LimitDescriptor> limits = new TreeMap<>();
		override.limits().forEach((rule, limit) -> limits.put(rule, LimitDescriptor.of(limit)));
		return new OverrideDescriptor(override.id(), (target.kind() == Kind.USER) ? target.value() : null,
				(target.kind() == Kind.ADDRESS) ? target.value() : null,
				(target.kind() == Kind.KEY) ? target.values() : null, List.copyOf(new TreeSet<>(override.rules())),
				limits, override.effect() == Effect.UNLIMITED, override.effect() == Effect.BLOCKED, override.from(),
				override.until(), override.hasEnded(now), override.reason(), origin);
	}

}

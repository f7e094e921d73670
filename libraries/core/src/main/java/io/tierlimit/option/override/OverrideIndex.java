package io.tierlimit.option.override;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.tierlimit.address.IpNetwork;
import io.tierlimit.address.NetworkMap;
import io.tierlimit.limit.Decision;
import io.tierlimit.rule.CallerOverride;
import io.tierlimit.rule.CallerOverride.Kind;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of a rule set by their targets.
 */
final class OverrideIndex {

	private final InstantSource clock;

	private final List<CallerOverride> all;

	private final Map<String, List<CallerOverride>> byUser = new HashMap<>();

	private final NetworkMap<List<CallerOverride>> byNetwork = new NetworkMap<>();

	/**
	 * Creates an index.
	 * @param overrides the overrides. For one target and rule, the first active override
	 * applies
	 * @param clock returns the current time
	 */
	OverrideIndex(Collection<CallerOverride> overrides, InstantSource clock) {
		this.clock = clock;
		this.all = List.copyOf(overrides);
		for (CallerOverride override : this.all) {
			if (override.target().kind() == Kind.USER) {
				this.byUser.computeIfAbsent(override.target().value(), (user) -> new ArrayList<>(1)).add(override);
			}
			else if (override.target().kind() == Kind.ADDRESS) {
				this.byNetwork.computeIfAbsent(IpNetwork.parse(override.target().value()), () -> new ArrayList<>(1))
					.add(override);
			}
		}
	}

	/** Whether an override concerns a rule. */
	boolean concerns(String rule) {
		return this.all.stream().anyMatch((override) -> override.concerns(rule));
	}

	/** The overrides of keys of a rule. */
	List<CallerOverride> ofKeys(String rule) {
		return this.all.stream()
			.filter((override) -> override.target().kind() == Kind.KEY && override.concerns(rule))
			.toList();
	}

	/**
	 * The overrides of a caller for any rule, in descending precedence.
	 * @throws InvalidRequestValueException if the user or the address cannot be read
	 */
	List<CallerOverride> of(Caller caller) {
		String user = this.byUser.isEmpty() ? null : caller.user();
		List<CallerOverride> ofUser = (user != null) ? this.byUser.getOrDefault(user, List.of()) : List.of();
		String address = this.byNetwork.isEmpty() ? null : caller.ip();
		List<List<CallerOverride>> ofNetworks = (address != null) ? this.byNetwork.containing(address) : List.of();
		if (ofNetworks.isEmpty()) {
			return ofUser;
		}
		List<CallerOverride> merged = new ArrayList<>(ofUser);
		ofNetworks.forEach(merged::addAll);
		return merged;
	}

	/** The first active override that concerns a rule. */
	@Nullable CallerOverride first(List<CallerOverride> overrides, String rule) {
		for (CallerOverride override : overrides) {
			if (override.concerns(rule) && (override.isAlwaysActive() || override.isActive(this.clock.instant()))) {
				return override;
			}
		}
		return null;
	}

	/** The decision on a request of a blocked caller. */
	Decision block(CallerOverride override) {
		Instant until = override.until();
		if (until == null) {
			return Decision.blocked(Decision.NEVER);
		}
		// Rounded up. A time of many centuries is converted to NEVER.
		Duration left = Duration.between(this.clock.instant(), until).plusNanos(999);
		return Decision.blocked(Math.max(1, TimeUnit.MICROSECONDS.convert(left)));
	}

}

package io.tierlimit.autoconfigure;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.FixedWindow;
import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.Charging;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.Reservations;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.rule.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Finds rules that never decide anything, because another one that holds the same
 * requests by the same key refuses all that they would.
 */
final class IdleRules {

	private IdleRules() {
	}

	static List<String> find(List<Rule> rules) {
		List<String> idle = new ArrayList<>();
		Map<Requests, List<Rule>> alike = new HashMap<>();
		for (Rule rule : rules) {
			if (rule.selection().appliesTo() == AppliesTo.REQUESTS && !rule.isShadow()) {
				List<Rule> others = alike.computeIfAbsent(new Requests(rule), (requests) -> new ArrayList<>());
				for (Rule other : others) {
					if (isWithin(rule, other) || isWithin(other, rule)) {
						idle.add("Rules '" + other.id() + "' and '" + rule.id()
								+ "' have the same key and select the same requests: the narrower limit decides alone");
					}
				}
				others.add(rule);
			}
		}
		return idle;
	}

	private static boolean isWithin(Rule narrow, Rule wide) {
		Limit limit = narrow.limits().standard();
		Limit other = wide.limits().standard();
		return limit.capacity() <= other.capacity() && !isFaster(limit.rate(), other.rate())
				&& (limit.algorithm() == Algorithm.TOKEN_BUCKET || limit.algorithm() == Algorithm.LEAKY_BUCKET
						|| haveSameWindows(limit, other));
	}

	/** Windows that overlap refuse each what the other doesn't. */
	private static boolean haveSameWindows(Limit limit, Limit other) {
		return limit.rate().period().equals(other.rate().period()) && Objects.equals(start(limit), start(other));
	}

	private static @Nullable Duration start(Limit limit) {
		return (limit instanceof FixedWindow window) ? window.start() : null;
	}

	private static boolean isFaster(Rate rate, Rate other) {
		return product(rate.permits(), other.periodTicks()).compareTo(product(other.permits(), rate.periodTicks())) > 0;
	}

	private static BigInteger product(long a, long b) {
		return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
	}

	/** Whom a rule holds, and how, but for the numbers of its limit. */
	private record Requests(Selection selection, Scope scope, String cost, Reservations reservations, Charging charging,
			Algorithm algorithm, Map<String, PlanLimit> plans) {

		private Requests(Rule rule) {
			this(rule.selection(), rule.scope(), rule.cost(), rule.reservations(), rule.charging(),
					rule.limits().standard().algorithm(), rule.limits().plans());
		}

	}

}

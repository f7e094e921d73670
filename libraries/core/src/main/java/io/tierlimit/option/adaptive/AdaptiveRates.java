package io.tierlimit.option.adaptive;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.tierlimit.key.RuleKey;
import io.tierlimit.limit.Decision;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.option.RuleSetOption;
import io.tierlimit.rule.DerivedFrom;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.AcquireResult.Source;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The adaptive rates of a rule set, and the resources that they protect.
 */
public final class AdaptiveRates implements RuleSetOption {

	private final Map<String, AdaptiveRate> rates = new ConcurrentHashMap<>();

	/** Replaced as a whole when a rule is added. */
	private volatile Map<String, ProtectedResource> resources = Map.of();

	private final Map<String, OverloadSignal> signals;

	private final ReentrantLock updates = new ReentrantLock();

	private volatile Runnable whenAdded = () -> {
	};

	private final OnceLogger warnings = new OnceLogger(AdaptiveRates.class);

	private final Ticker ticker;

	/**
	 * Creates the rates of a rule set.
	 * @param signals the signals by their names
	 * @param ticker the clock that measures requests
	 */
	public AdaptiveRates(Map<String, OverloadSignal> signals, Ticker ticker) {
		this.signals = Map.copyOf(signals);
		this.ticker = ticker;
	}

	@Override
	public @Nullable AdaptiveRate of(Rule rule, RuleKey key) {
		return of(rule);
	}

	/**
	 * The adaptive rate of a rule. It is created at the first call for the rule. The
	 * candidate of a rule has the same rate.
	 * @param rule the rule, a variant of it, or its candidate, which must be passed after
	 * the rule
	 * @return the rate, or {@code null} if the rate of the rule is constant
	 * @throws IllegalArgumentException if the signal of the rule does not exist
	 */
	@Nullable AdaptiveRate of(Rule rule) {
		AdaptivePolicy policy = rule.options().find(AdaptivePolicy.class);
		if (policy == null) {
			return null;
		}
		DerivedFrom origin = rule.options().find(DerivedFrom.class);
		String id = (origin != null) ? origin.rule() : rule.id();
		AdaptiveRate known = this.rates.get(id);
		AdaptiveRate rate = (known != null) ? known : add(rule, policy);
		rate.allowCostOf(rule);
		return rate;
	}

	private synchronized AdaptiveRate add(Rule rule, AdaptivePolicy policy) {
		AdaptiveRate known = this.rates.get(rule.id());
		if (known != null) {
			return known;
		}
		AdaptiveRate added = new AdaptiveRate(rule, policy, this.ticker);
		ProtectedResource before = this.resources.get(policy.resource());
		List<AdaptiveRate> ofResource = new ArrayList<>((before != null) ? before.rates() : List.of());
		ofResource.add(added);
		ProtectedResource resource = new ProtectedResource(policy.resource(), ofResource, signalsOf(ofResource),
				this.ticker.ticks());
		if (before != null) {
			resource.continueFrom(before);
		}
		Map<String, ProtectedResource> more = new LinkedHashMap<>(this.resources);
		more.put(policy.resource(), resource);
		this.resources = more;
		this.rates.put(rule.id(), added);
		this.whenAdded.run();
		return added;
	}

	private List<BooleanSupplier> signalsOf(List<AdaptiveRate> rates) {
		Map<String, BooleanSupplier> named = new LinkedHashMap<>();
		for (AdaptiveRate rate : rates) {
			String name = rate.policy().signal();
			if (name != null) {
				named.computeIfAbsent(name, (absent) -> signal(absent, this.signals.get(absent)));
			}
		}
		return List.copyOf(named.values());
	}

	private BooleanSupplier signal(String name, @Nullable OverloadSignal signal) {
		if (signal == null) {
			throw new IllegalArgumentException("There is no OverloadSignal bean named '" + name + "'");
		}
		return () -> {
			try {
				return signal.isOverloaded();
			}
			catch (Throwable ex) { // such as an error, which would end all updates
				this.warnings.warn(name, "The OverloadSignal '" + name + "' failed, and is treated as not overloaded",
						ex);
				return false;
			}
		};
	}

	/**
	 * Whether there are no adaptive rates.
	 * @return whether all rates are constant
	 */
	boolean isEmpty() {
		return this.rates.isEmpty();
	}

	/** Takes over the reductions of an earlier rule set. */
	@Override
	public synchronized void continueFrom(RuleSetOption replaced) {
		AdaptiveRates earlier = (AdaptiveRates) replaced;
		this.rates.forEach((rule, rate) -> {
			AdaptiveRate before = earlier.rates.get(rule);
			if (before != null) {
				rate.continueFrom(before);
			}
		});
		this.resources.forEach((name, resource) -> {
			ProtectedResource before = earlier.resources.get(name);
			if (before != null) {
				resource.continueFrom(before);
			}
		});
	}

	/**
	 * Updates all rates by the health of their resources. Must be called once per second,
	 * by one thread at a time, for which no request waits. The store is called once to
	 * read the levels, and once for each resource whose rates are reduced.
	 * @param store stores the reductions
	 */
	public void update(BucketStore store) {
		this.updates.lock();
		try {
			List<ProtectedResource> all = List.copyOf(this.resources.values());
			List<Charge> readings = all.stream().map(ProtectedResource::reading).toList();
			// Read before the call: if the time were later than the level, the level
			// would look like a reduction.
			long now = this.ticker.ticks();
			AcquireResult levels = store.peek(readings);
			for (int i = 0; i < readings.size(); i++) {
				Decision level = (levels.source() == Source.STORE) ? levels.decision(i) : null;
				all.get(i).update((level != null) ? level.remaining() : null, now, store);
			}
		}
		finally {
			this.updates.unlock();
		}
	}

	/**
	 * Sets the action that runs when a rule is added.
	 * @param action the action; may run in the threads of requests
	 */
	void whenAdded(Runnable action) {
		this.whenAdded = action;
	}

}

package io.tierlimit.option.adaptive;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.tierlimit.rule.Rule;
import io.tierlimit.spi.OverloadSignal;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.memory.InMemoryBucketStore;

/**
 * A simulated service behind rate limits: requests wait in one queue, and are served in
 * their order with the capacity of the service. Each rule has one bucket, and several
 * instances share the store.
 */
final class Plant {

	/** The resolution of the simulation. */
	private static final int STEPS_PER_SECOND = 100;

	private static final long STEP = 1_000_000 / STEPS_PER_SECOND;

	final SimulatedTicker ticker = new SimulatedTicker();

	final BucketStore store;

	private final List<AdaptiveRates> instances;

	private final Map<Rule, Double> demands = new LinkedHashMap<>();

	private final Map<Rule, Double> arrivals = new LinkedHashMap<>();

	private final Deque<Waiting> queue = new ArrayDeque<>();

	private final Deque<Served> served = new ArrayDeque<>();

	/** The latency of a request that does not wait in the queue, in ticks. */
	private long latency = 50_000;

	private double capacity;

	private double capacityLeft;

	private boolean hangs;

	private boolean fails;

	private long steps;

	private int next;

	Plant(double capacity, int instances, Map<String, OverloadSignal> signals) {
		this.capacity = capacity;
		this.store = new InMemoryBucketStore(this.ticker, 100);
		this.instances = IntStream.range(0, instances)
			.mapToObj((i) -> new AdaptiveRates(signals, this.ticker))
			.toList();
	}

	Plant(double capacity) {
		this(capacity, 1, Map.of());
	}

	/** Sets how many requests per second clients send under a rule. */
	void demand(Rule rule, double perSecond) {
		this.demands.put(rule, perSecond);
		this.instances.forEach((instance) -> instance.of(rule));
	}

	/** Sets how many requests per second the service serves. */
	void capacity(double perSecond) {
		this.capacity = perSecond;
	}

	/** Sets how long the service takes for a request that does not wait in the queue. */
	void latency(Duration time) {
		this.latency = time.toNanos() / 1000;
	}

	/** Sets whether the service ends no request. */
	void hangs(boolean hangs) {
		this.hangs = hangs;
	}

	/** Sets whether the service fails, which takes no time. */
	void fails(boolean fails) {
		this.fails = fails;
	}

	/** The current share of a rule in the first instance. */
	double share(Rule rule) {
		return rate(this.instances.get(0), rule).share().doubleValue();
	}

	List<Double> shares(Rule rule) {
		return this.instances.stream().map((instance) -> rate(instance, rule).share().doubleValue()).toList();
	}

	/** The number of requests in the queue. */
	int queued() {
		return this.queue.size();
	}

	/** Runs for some seconds, and returns what happened in each of them. */
	List<Second> run(int seconds) {
		List<Second> all = new ArrayList<>();
		for (int i = 0; i < seconds; i++) {
			Map<Rule, Integer> admitted = new LinkedHashMap<>();
			for (int step = 0; step < STEPS_PER_SECOND; step++) {
				step(admitted);
			}
			all.add(new Second(admitted, this.queue.size()));
		}
		return all;
	}

	private void step(Map<Rule, Integer> admitted) {
		this.ticker.advance(STEP);
		this.demands.forEach((rule, perSecond) -> {
			double due = this.arrivals.getOrDefault(rule, 0.0) + perSecond / STEPS_PER_SECOND;
			for (; due >= 1; due--) {
				send(rule, admitted);
			}
			this.arrivals.put(rule, due);
		});
		serve();
		this.steps++;
		for (int i = 0; i < this.instances.size(); i++) {
			// The instances update at different times within a second.
			if (this.steps % STEPS_PER_SECOND == i * STEPS_PER_SECOND / this.instances.size()) {
				this.instances.get(i).update(this.store);
			}
		}
	}

	private void send(Rule rule, Map<Rule, Integer> admitted) {
		AdaptiveRate rate = rate(this.instances.get(this.next++ % this.instances.size()), rule);
		Charge charge = new Charge(new BucketKey(rule.id(), ""), rate.reduce(rule.limits().standard()), 1,
				ChargeOptions.ENFORCED);
		if (this.store.acquire(List.of(charge), new StoreFailureFlag()).admitted()) {
			admitted.merge(rule, 1, Integer::sum);
			this.queue.add(new Waiting(rate.begin("caller " + this.next)));
		}
	}

	private void serve() {
		this.capacityLeft += this.capacity / STEPS_PER_SECOND;
		while (!this.hangs && !this.queue.isEmpty() && (this.fails || this.capacityLeft >= 1)) {
			this.capacityLeft -= this.fails ? 0 : 1;
			this.served.add(new Served(this.queue.remove().request(), this.ticker.ticks() + this.latency));
		}
		// An idle service does not accumulate capacity.
		this.capacityLeft = Math.min(this.capacityLeft, 1);
		while (!this.served.isEmpty() && this.served.peek().at() <= this.ticker.ticks()) {
			this.served.remove().request().end(this.fails);
		}
	}

	private static AdaptiveRate rate(AdaptiveRates instance, Rule rule) {
		AdaptiveRate rate = instance.of(rule);
		if (rate == null) {
			throw new IllegalArgumentException(rule.id() + " is not adaptive");
		}
		return rate;
	}

	/**
	 * The events of one second.
	 *
	 * @param admitted the number of admitted requests of each rule
	 * @param queued the length of the queue at the end
	 */
	record Second(Map<Rule, Integer> admitted, int queued) {

		int of(Rule rule) {
			return this.admitted.getOrDefault(rule, 0);
		}

		int all() {
			return this.admitted.values().stream().mapToInt(Integer::intValue).sum();
		}

	}

	private record Waiting(RequestInFlight request) {

	}

	private record Served(RequestInFlight request, long at) {

	}

}

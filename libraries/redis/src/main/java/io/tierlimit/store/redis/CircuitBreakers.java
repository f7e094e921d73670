package io.tierlimit.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker for each server, so that an outage costs a request no time. It opens
 * if at least half of the last ten calls have failed. After startup and after an outage,
 * this also applies while there have been only five to nine calls. One second after it
 * has opened, one request tries again.
 *
 * @param needed whether a server is needed at present
 * @param onOpen runs whenever a breaker opens, including after a failed trial
 * @param config the configuration of each breaker
 * @param breakers the breakers by server
 */
record CircuitBreakers(Predicate<String> needed, Runnable onOpen, CircuitBreakerConfig config,
		ConcurrentMap<String, CircuitBreaker> breakers) {

	static final CircuitBreakerConfig CONFIG = CircuitBreakerConfig.custom()
		.slidingWindowType(SlidingWindowType.COUNT_BASED)
		.slidingWindowSize(10)
		.minimumNumberOfCalls(5)
		.failureRateThreshold(50)
		.waitDurationInOpenState(Duration.ofSeconds(1))
		.permittedNumberOfCallsInHalfOpenState(1)
		.build();

	CircuitBreakers(Predicate<String> needed, Runnable onOpen, CircuitBreakerConfig config) {
		this(needed, onOpen, config, new ConcurrentHashMap<>());
	}

	/**
	 * The configuration with a clock that a test sets. Requires Resilience4j 2.3, which
	 * an application need not have.
	 */
	static CircuitBreakerConfig withClock(LongSupplier nanoTime) {
		InstantSource clock = () -> Instant.EPOCH.plusNanos(nanoTime.getAsLong());
		return CircuitBreakerConfig.from(CONFIG).clock(clock.withZone(ZoneOffset.UTC)).build();
	}

	/** Whether all needed servers are called at present. */
	boolean areClosed() {
		return this.breakers.entrySet()
			.stream()
			.allMatch((entry) -> entry.getValue().getState() == State.CLOSED || !this.needed.test(entry.getKey()));
	}

	/** The states of the breakers of needed servers, by the name of the server. */
	Map<String, String> states() {
		Map<String, String> states = new TreeMap<>();
		this.breakers.forEach((server, breaker) -> {
			if (this.needed.test(server)) {
				states.put(server.isEmpty() ? "redis" : server.strip(), breaker.getState().name());
			}
		});
		return states;
	}

	/** Acquires permits to call servers. Each permit must be ended. */
	List<Permit> permits(Collection<String> servers) throws StoreFailure {
		List<Permit> permits = new ArrayList<>(servers.size());
		for (String server : servers) {
			CircuitBreaker breaker = breaker(server);
			if (!breaker.tryAcquirePermission()) {
				permits.forEach((permit) -> permit.end(false));
				throw new StoreFailure.CallSkipped("it has failed too often and is not called at present");
			}
			permits.add(new Permit(server, breaker));
		}
		return permits;
	}

	private CircuitBreaker breaker(String server) {
		CircuitBreaker breaker = this.breakers.get(server);
		return (breaker != null) ? breaker : this.breakers.computeIfAbsent(server, this::create);
	}

	private CircuitBreaker create(String server) {
		CircuitBreaker breaker = CircuitBreaker.of("tierlimit-redis" + server, this.config);
		breaker.getEventPublisher().onStateTransition((event) -> {
			if (event.getStateTransition().getToState() == State.OPEN) {
				this.onOpen.run();
			}
		});
		return breaker;
	}

	/**
	 * The permission to call a server during one request.
	 */
	static final class Permit {

		private final String server;

		private final CircuitBreaker breaker;

		/** Not compared with the clock of the breaker, which does not use durations. */
		private final long since = System.nanoTime();

		private @Nullable StoreFailure failure;

		private Permit(String server, CircuitBreaker breaker) {
			this.server = server;
			this.breaker = breaker;
		}

		String server() {
			return this.server;
		}

		void recordFailure(StoreFailure occurred) {
			this.failure = occurred;
		}

		/**
		 * Reports to the breaker whether the server has failed.
		 * @param awaited whether the server has replied to all calls, if it has not
		 * failed; otherwise nothing is reported
		 */
		void end(boolean awaited) {
			long elapsed = System.nanoTime() - this.since;
			if (this.failure != null) {
				this.breaker.onError(elapsed, TimeUnit.NANOSECONDS, this.failure);
			}
			else if (awaited) {
				this.breaker.onSuccess(elapsed, TimeUnit.NANOSECONDS);
			}
			else {
				this.breaker.releasePermission();
			}
		}

	}

}

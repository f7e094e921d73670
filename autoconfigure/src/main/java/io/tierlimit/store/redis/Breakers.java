package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;

import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker for each server, so that an outage costs a request no time. Half of
 * the last ten calls failing opens it; after a second one request tries again.
 */
final class Breakers {

	private static final CircuitBreakerConfig CONFIG = CircuitBreakerConfig.custom()
		.slidingWindowType(SlidingWindowType.COUNT_BASED)
		.slidingWindowSize(10)
		.minimumNumberOfCalls(5)
		.failureRateThreshold(50)
		.waitDurationInOpenState(Duration.ofSeconds(1))
		.permittedNumberOfCallsInHalfOpenState(1)
		.build();

	/**
	 * A server that nobody asked for as long is not missed: it may have been replaced.
	 */
	private static final long MISSED = Duration.ofSeconds(10).toNanos();

	private final ConcurrentMap<String, Server> servers = new ConcurrentHashMap<>();

	private final Runnable onOpen;

	private final LongSupplier nanoTime;

	/**
	 * Creates breakers.
	 * @param onOpen is run whenever one opens, also after a trial that failed
	 * @param nanoTime the clock by which servers are missed
	 */
	Breakers(Runnable onOpen, LongSupplier nanoTime) {
		this.onOpen = onOpen;
		this.nanoTime = nanoTime;
	}

	/** Whether all servers that are asked for are called at present. */
	boolean areClosed() {
		long now = this.nanoTime.getAsLong();
		return this.servers.values()
			.stream()
			.allMatch((server) -> server.breaker.getState() == State.CLOSED || now - server.asked > MISSED);
	}

	/** Asks whether a request may call servers. Each permit is to be used. */
	List<Permit> permits(Collection<String> names) throws StoreFailure {
		List<Permit> permits = new ArrayList<>(names.size());
		for (String name : names) {
			Server server = server(name);
			server.asked = this.nanoTime.getAsLong();
			if (!server.breaker.tryAcquirePermission()) {
				permits.forEach(Permit::giveUp);
				throw new StoreFailure.Away();
			}
			permits.add(new Permit(name, server.breaker));
		}
		return permits;
	}

	private Server server(String name) {
		Server server = this.servers.get(name);
		return (server != null) ? server : this.servers.computeIfAbsent(name, this::create);
	}

	private Server create(String name) {
		CircuitBreaker breaker = CircuitBreaker.of("tierlimit-redis" + name, CONFIG);
		breaker.getEventPublisher().onStateTransition((event) -> {
			if (event.getStateTransition().getToState() == State.OPEN) {
				this.onOpen.run();
			}
		});
		return new Server(breaker);
	}

	private static final class Server {

		private final CircuitBreaker breaker;

		private volatile long asked;

		private Server(CircuitBreaker breaker) {
			this.breaker = breaker;
		}

	}

	/**
	 * Leave to call a server for the time of one request.
	 */
	static final class Permit {

		private final String server;

		private final CircuitBreaker breaker;

		private final long since = System.nanoTime();

		private @Nullable StoreFailure failure;

		private Permit(String server, CircuitBreaker breaker) {
			this.server = server;
			this.breaker = breaker;
		}

		String server() {
			return this.server;
		}

		void note(StoreFailure noted) {
			this.failure = noted;
		}

		/** Tells how the server did. */
		void settle() {
			long elapsed = System.nanoTime() - this.since;
			if (this.failure != null) {
				this.breaker.onError(elapsed, TimeUnit.NANOSECONDS, this.failure);
			}
			else {
				this.breaker.onSuccess(elapsed, TimeUnit.NANOSECONDS);
			}
		}

		/** Tells nothing about the server. */
		void giveUp() {
			this.breaker.releasePermission();
		}

	}

}

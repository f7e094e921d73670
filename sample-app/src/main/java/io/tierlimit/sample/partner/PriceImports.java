package io.tierlimit.sample.partner;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.tierlimit.RateLimiter;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.stereotype.Component;

/**
 * All imports of prices, in memory.
 */
@Component
class PriceImports {

	private final AtomicLong lastId = new AtomicLong();

	private final Map<Long, PriceImport> imports = new ConcurrentHashMap<>();

	private final PriceLists prices;

	private final RateLimiter limiter;

	private final TaskScheduler scheduler;

	PriceImports(PriceLists prices, RateLimiter limiter, TaskScheduler scheduler) {
		this.prices = prices;
		this.limiter = limiter;
		this.scheduler = scheduler;
	}

	/** Starts an import, and returns its number. */
	long start(String partner, List<Price> rows) {
		PriceImport started = new PriceImport(partner, rows, this.prices, this.limiter, this.scheduler);
		started.start();
		long id = this.lastId.incrementAndGet();
		this.imports.put(id, started);
		return id;
	}

	Optional<PriceImport> find(long id, String partner) {
		return Optional.ofNullable(this.imports.get(id)).filter((found) -> found.isOf(partner));
	}

	/**
	 * Cancels all imports, the latest first, so that other instances do not wait for
	 * permits that these imports have reserved. Connections are still open at this point.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.imports.values()
			.stream()
			.sorted(Comparator.comparing(PriceImport::due).reversed())
			.forEach(PriceImport::cancel);
	}

}

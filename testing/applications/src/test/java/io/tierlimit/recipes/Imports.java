package io.tierlimit.recipes;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;

import org.springframework.http.HttpStatus;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Imports {

	private static final long JITTER_MILLIS = 500;

	private final RateLimiter limiter;

	private final TaskScheduler scheduler;

	/** Stands for your database. */
	private final Queue<String> imported = new ConcurrentLinkedQueue<>();

	Imports(RateLimiter limiter, TaskScheduler scheduler) {
		this.limiter = limiter;
		this.scheduler = scheduler;
	}

	@PostMapping("/api/imports")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void accept(@RequestBody List<String> rows) {
		Reservation reservation = this.limiter.reserve(PermitRequest.of("imported-rows").cost(rows.size()));
		Duration jitter = Duration.ofMillis(ThreadLocalRandom.current().nextLong(JITTER_MILLIS));
		ScheduledFuture<?> unused = this.scheduler.schedule(() -> this.imported.addAll(rows),
				this.scheduler.getClock().instant().plus(reservation.delay()).plus(jitter));
	}

}

package io.tierlimit.sample.live;

import io.tierlimit.RateLimiter;

import org.springframework.scheduling.TaskScheduler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Streams the answers of a language model. The rule {@code live-tokens} first consumes
 * the permits of an estimate, because the number of tokens is only known at the end.
 */
@RestController
class AnswerController {

	private final RateLimiter limiter;

	private final TaskScheduler scheduler;

	AnswerController(RateLimiter limiter, TaskScheduler scheduler) {
		this.limiter = limiter;
		this.scheduler = scheduler;
	}

	@GetMapping("/live/answer")
	SseEmitter answer(@RequestParam int words) {
		return new StreamedAnswer(words, this.limiter.estimatedCost("live-tokens"), this.scheduler).start();
	}

}

package io.tierlimit.application;

import java.nio.charset.StandardCharsets;

import io.tierlimit.EstimatedCost;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.Verdict;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

@RestController
class Completions {

	private final RateLimiter limiter;

	private final LanguageModel model;

	Completions(RateLimiter limiter, LanguageModel model) {
		this.limiter = limiter;
		this.model = model;
	}

	@GetMapping("/completions")
	StreamingResponseBody complete(String prompt) {
		EstimatedCost cost = this.limiter.estimatedCost("tokens");
		return (output) -> {
			long tokens = 0;
			for (String token : this.model.answer(prompt)) {
				output.write(token.getBytes(StandardCharsets.UTF_8));
				output.flush();
				tokens++;
				if (cost.meter(tokens)) {
					break; // the bucket owes max-debt
				}
			}
			cost.settle(tokens);
		};
	}

	/** Called by a job, outside of requests. */
	String summarize(String user, String text) {
		Verdict verdict = this.limiter.acquire(PermitRequest.of("tokens").user(user).cost(500));
		StringBuilder summary = new StringBuilder();
		long tokens = 0;
		for (String token : this.model.answer("Summarize: " + text)) {
			summary.append(token);
			tokens++;
		}
		this.limiter.estimatedCost(verdict, "tokens").settle(tokens);
		return summary.toString();
	}

	/** Calls your language model, and returns the tokens as it produces them. */
	interface LanguageModel {

		Iterable<String> answer(String prompt);

	}

}

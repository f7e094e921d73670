package io.tierlimit.client;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.Function;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimiter;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Limits the requests of a {@code RestClient}, a {@code RestTemplate} or an HTTP service
 * client by a rule. Each request acquires a permit. If necessary, its thread waits for
 * the permit, at most for the {@code max-wait} of the rule. With a shared store, all
 * instances of the application share the limit.
 * <p>
 * The interceptor also follows the limits of the provider. Responses with
 * {@code Retry-After} or {@code retry-after-ms} (429 and 503), {@code RateLimit},
 * {@code RateLimit-Remaining}, {@code X-RateLimit-Remaining},
 * {@code x-ratelimit-remaining-requests} or
 * {@code anthropic-ratelimit-requests-remaining} lower the bucket to the level that the
 * provider reports. Responses never raise the bucket. One response cannot stop requests
 * for more than an hour. Headers that cannot be read are ignored.
 * <p>
 * If the permit is not available within {@code max-wait}, or if the thread is
 * interrupted, the request is not sent, and the exception of {@link RateLimiter#await} is
 * thrown. If the request is sent, its permit is consumed, whatever the response is.
 * Thread-safe.
 */
public final class RateLimitedClientHttpRequestInterceptor implements ClientHttpRequestInterceptor {

	private final RateLimiter limiter;

	private final Function<? super HttpRequest, @Nullable PermitRequest> permits;

	private final InstantSource clock;

	/**
	 * Creates an interceptor.
	 * @param limiter the limiter
	 * @param permits returns the permits that a request needs: the rule, and the host,
	 * key or account whose bucket it uses; {@code null} for a request that is not limited
	 */
	public RateLimitedClientHttpRequestInterceptor(RateLimiter limiter,
			Function<? super HttpRequest, @Nullable PermitRequest> permits) {
		this(limiter, permits, InstantSource.system());
	}

	/**
	 * Creates an interceptor.
	 * @param clock the time if a response has no {@code Date}
	 */
	RateLimitedClientHttpRequestInterceptor(RateLimiter limiter,
			Function<? super HttpRequest, @Nullable PermitRequest> permits, InstantSource clock) {
		this.limiter = Objects.requireNonNull(limiter, "limiter");
		this.permits = Objects.requireNonNull(permits, "permits");
		this.clock = clock;
	}

	@Override
	public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
			throws IOException {
		PermitRequest permit = this.permits.apply(request);
		if (permit == null) {
			return execution.execute(request, body);
		}
		Verdict verdict = this.limiter.await(permit);
		ClientHttpResponse response = execution.execute(request, body);
		try {
			learn(permit, verdict, response);
		}
		catch (IOException | RuntimeException ex) {
			response.close();
			throw ex;
		}
		return response;
	}

	/**
	 * Lowers the bucket if it has more permits than the provider reports, or if the
	 * provider requires a wait. A 429 always lowers the bucket, because the bucket may
	 * have earned permits since the request. Otherwise, the store is not called.
	 */
	private void learn(PermitRequest permit, Verdict verdict, ClientHttpResponse response) throws IOException {
		int status = response.getStatusCode().value();
		ProviderLimit limit = ProviderLimit.of(status, response.getHeaders(), this.clock.instant());
		if (limit == null) {
			return;
		}
		for (RuleDecision decision : verdict.decisions()) {
			boolean above = limit.remaining() < decision.decision().remaining();
			if (above || !limit.retryAfter().isZero() || status == ProviderLimit.TOO_MANY_REQUESTS) {
				this.limiter.syncRemaining(permit, limit.remaining(), limit.retryAfter());
			}
		}
	}

}

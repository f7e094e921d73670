package io.tierlimit.graphql;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import graphql.ErrorClassification;
import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import graphql.schema.DataFetchingEnvironment;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RejectionReason;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;
import org.springframework.graphql.execution.ErrorType;
import org.springframework.graphql.execution.SubscriptionExceptionResolver;

/**
 * Converts a {@link RateLimitExceededException} to a GraphQL error with the same data as
 * the problem details of a response with status 429. Called after the application's
 * resolvers.
 */
public final class RateLimitErrorResolver
		implements DataFetcherExceptionResolver, SubscriptionExceptionResolver, Ordered {

	private static final ErrorClassification RATE_LIMITED = ErrorClassification.errorClassification("RATE_LIMITED");

	private static final ErrorClassification UNAVAILABLE = ErrorClassification
		.errorClassification("SERVICE_UNAVAILABLE");

	private final RateLimitHeaders headers;

	/**
	 * Creates a resolver.
	 * @param headers formats the wait, as for the {@code Retry-After} header
	 */
	public RateLimitErrorResolver(RateLimitHeaders headers) {
		this.headers = headers;
	}

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public Mono<List<GraphQLError>> resolveException(Throwable exception, DataFetchingEnvironment environment) {
		return resolve(exception, GraphqlErrorBuilder.newError(environment));
	}

	@Override
	public Mono<List<GraphQLError>> resolveException(Throwable exception) {
		return resolve(exception, GraphqlErrorBuilder.newError());
	}

	private Mono<List<GraphQLError>> resolve(Throwable exception, GraphqlErrorBuilder<?> error) {
		Verdict verdict = (exception instanceof RateLimitExceededException exceeded) ? exceeded.verdict() : null;
		return (verdict != null) ? Mono.just(List.of(error(verdict, error))) : Mono.empty();
	}

	private GraphQLError error(Verdict verdict, GraphqlErrorBuilder<?> error) {
		RejectionReason reason = RejectionReason.of(verdict);
		ErrorClassification type = switch (reason) {
			case DENIED -> ErrorType.FORBIDDEN;
			case INVALID -> ErrorType.BAD_REQUEST;
			case UNAVAILABLE -> UNAVAILABLE;
			case BLOCKED, BANNED, OVER_LIMIT -> RATE_LIMITED;
		};
		Map<String, Object> extensions = (type == RATE_LIMITED) ? extensions(verdict) : Map.of();
		return error.errorType(type).message(reason.detail()).extensions(extensions).build();
	}

	private Map<String, Object> extensions(Verdict verdict) {
		Map<String, Object> extensions = new LinkedHashMap<>();
		extensions.put("violated-policies",
				verdict.violated().stream().filter(RateLimitHeaders::isShown).map(RuleDecision::rule).toList());
		String wait = this.headers.of(verdict).get("Retry-After");
		if (wait != null) {
			extensions.put("retry-after", Long.valueOf(wait));
		}
		if (verdict.banned()) {
			extensions.put("banned", true);
		}
		if (verdict.blocked()) {
			extensions.put("blocked", true);
		}
		return extensions;
	}

}

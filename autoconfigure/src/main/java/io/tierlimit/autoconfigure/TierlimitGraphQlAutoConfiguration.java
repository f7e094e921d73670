package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.List;

import graphql.GraphQLError;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.graphql.RateLimitErrorResolver;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RetryAfterJitter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;

/**
 * Configures the conversion of rejections to GraphQL errors.
 */
@AutoConfiguration(after = { TierlimitAutoConfiguration.class, TierlimitServletAutoConfiguration.class },
		afterName = { "org.springframework.boot.graphql.autoconfigure.GraphQlAutoConfiguration",
				"org.springframework.boot.autoconfigure.graphql.GraphQlAutoConfiguration" })
@ConditionalOnClass({ DataFetcherExceptionResolver.class, GraphQLError.class })
@ConditionalOnBean(RateLimitEvaluator.class)
public final class TierlimitGraphQlAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RateLimitErrorResolver rateLimitErrorResolver(ObjectProvider<RateLimitHeaders> headers) {
		return new RateLimitErrorResolver(headers
			.getIfAvailable(() -> new RateLimitHeaders(List.of(), RetryAfterJitter.NONE, InstantSource.system())));
	}

}

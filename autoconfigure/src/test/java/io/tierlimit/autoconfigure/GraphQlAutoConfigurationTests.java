package io.tierlimit.autoconfigure;

import graphql.GraphQLError;
import io.tierlimit.RateLimiter;
import io.tierlimit.graphql.RateLimitErrorResolver;
import io.tierlimit.web.header.RateLimitHeaders;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;

import static org.assertj.core.api.Assertions.assertThat;

class GraphQlAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(TierlimitAutoConfiguration.class,
				TierlimitMethodAutoConfiguration.class, TierlimitGraphQlAutoConfiguration.class))
		.withPropertyValues("tierlimit.rules.r.rate=1/s");

	@Test
	void withoutServletsRejectionsAreAlsoErrors() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(RateLimitErrorResolver.class)
			.doesNotHaveBean(RateLimitHeaders.class));
	}

	@Test
	void withoutGraphQlThereIsNothingToResolve() {
		for (Class<?> missing : new Class<?>[] { DataFetcherExceptionResolver.class, GraphQLError.class }) {
			this.runner.withClassLoader(new FilteredClassLoader(missing))
				.run((context) -> assertThat(context).hasSingleBean(RateLimiter.class)
					.doesNotHaveBean("rateLimitErrorResolver"));
		}
	}

	@Test
	void switchedOffItResolvesNothing() {
		this.runner.withPropertyValues("tierlimit.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(RateLimitErrorResolver.class));
	}

}

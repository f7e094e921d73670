package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.List;

import io.tierlimit.RateLimiter;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.settings.EarlyFailure;
import io.tierlimit.evaluation.EvaluatingRateLimiter;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.rule.InvalidRulesException;
import io.tierlimit.security.AuthenticationAuthoritiesResolver;
import io.tierlimit.security.TokenClaimResolver;
import io.tierlimit.spi.AuthoritiesResolver;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.CallerResolver;
import io.tierlimit.spi.ClaimResolver;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.spi.PlanResolver;
import io.tierlimit.spi.web.RateLimitRejectionHandler;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.HttpCallerFactory;
import io.tierlimit.web.RateLimitFilter;
import io.tierlimit.web.RateLimitResponses;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RetryAfterJitter;
import io.tierlimit.web.mvc.RateLimitExceptionResolver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.web.servlet.HandlerMapping;

import static io.tierlimit.autoconfigure.ReportedProblems.assertReported;
import static org.assertj.core.api.Assertions.assertThat;

class AutoConfigurationTests {

	private static final AutoConfigurations ALL = AutoConfigurations.of(TierlimitAutoConfiguration.class,
			TierlimitMethodAutoConfiguration.class, TierlimitSecurityAutoConfiguration.class,
			TierlimitServletAutoConfiguration.class, TierlimitWebMvcAutoConfiguration.class);

	private final WebApplicationContextRunner web = new WebApplicationContextRunner().withConfiguration(ALL)
		.withPropertyValues("tierlimit.rules.r.rate=1/s");

	private final WebApplicationContextRunner secured = this.web.withBean("springSecurityFilterChain", Filter.class,
			() -> (request, response, chain) -> chain.doFilter(request, response));

	@Test
	void withoutSpringSecurityOneFilterHandlesRequestsForwardsAndAsynchronousDispatches() {
		this.web.run((context) -> {
			assertThat(context).getBeans(FilterRegistrationBean.class)
				.containsOnlyKeys(FilterOrders.FILTER_BEAN,
						TierlimitServletAutoConfiguration.REQUEST_CONTEXT_FILTER_BEAN);
			FilterRegistrationBean<?> filter = filter(context, FilterOrders.FILTER_BEAN);
			assertThat(filter.getOrder()).isEqualTo(RateLimitFilter.DEFAULT_ORDER).isEqualTo(-103);
			assertThat(filter.determineDispatcherTypes()).containsExactlyInAnyOrder(DispatcherType.REQUEST,
					DispatcherType.FORWARD, DispatcherType.ASYNC);
			assertThat(filter.isAsyncSupported()).isTrue();
		});
	}

	@Test
	void withSpringSecurityOneFilterStandsOnEachSideOfIt() {
		this.secured.run((context) -> {
			assertThat(filter(context, FilterOrders.FILTER_BEAN).getOrder()).isEqualTo(-103);
			FilterRegistrationBean<?> after = filter(context, FilterOrders.AUTHENTICATED_FILTER_BEAN);
			assertThat(after.getOrder()).isEqualTo(RateLimitFilter.AUTHENTICATED_ORDER).isEqualTo(-90);
			assertThat(after.determineDispatcherTypes()).containsExactlyInAnyOrder(DispatcherType.REQUEST,
					DispatcherType.FORWARD, DispatcherType.ASYNC);
			assertThat(after.isAsyncSupported()).isTrue();
		});
	}

	@Test
	void filtersFollowSpringSecurityElsewhere() {
		this.secured.withPropertyValues("spring.security.filter.order=5").run((context) -> {
			assertThat(filter(context, FilterOrders.FILTER_BEAN).getOrder()).isEqualTo(2);
			assertThat(filter(context, FilterOrders.AUTHENTICATED_FILTER_BEAN).getOrder()).isEqualTo(15);
		});
	}

	@Test
	void placesOfTheFiltersAreSettings() {
		this.secured.withPropertyValues("tierlimit.web.order=-1000", "tierlimit.web.authenticated-order=7")
			.run((context) -> {
				assertThat(filter(context, FilterOrders.FILTER_BEAN).getOrder()).isEqualTo(-1000);
				assertThat(filter(context, FilterOrders.AUTHENTICATED_FILTER_BEAN).getOrder()).isEqualTo(7);
			});
	}

	@Test
	void filterOnTheWrongSideOfSpringSecurityFailsStartup() {
		this.secured.withPropertyValues("tierlimit.web.order=-100", "tierlimit.web.authenticated-order=-101")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(EarlyFailure.class)
				.rootCause()
				.hasMessageContainingAll(
						"tierlimit.web.order must be below -100, the order of Spring Security's filter (was -100). Lower tierlimit.web.order (test), or raise spring.security.filter.order.",
						"tierlimit.web.authenticated-order must be above -100", "(was -101)"));
	}

	@Test
	void everyBeanThatUsersReplaceBacksOff() {
		this.web.withUserConfiguration(OwnBeans.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (Class<?> type : new Class<?>[] { Ticker.class, BucketStore.class, PlanResolver.class,
					AuthoritiesResolver.class, CallerResolver.class, HandlerLookup.class,
					RateLimitRejectionHandler.class, RateLimitHeaders.class, RateLimitEvaluator.class,
					RateLimiter.class, RateLimitExceptionResolver.class }) {
				assertThat(context).getBeanNames(type)
					.as(type.getSimpleName())
					.singleElement()
					.asString()
					.startsWith("own");
			}
		});
	}

	@Test
	void withoutSpringMvcTheFilterWorksOnPlainServlets() {
		this.web.withClassLoader(new FilteredClassLoader(HandlerMapping.class))
			.run((context) -> assertThat(context).hasSingleBean(HttpCallerFactory.class)
				.doesNotHaveBean(HandlerLookup.class)
				.satisfies((started) -> assertThat(
						filter((AssertableWebApplicationContext) started, FilterOrders.FILTER_BEAN))
					.isNotNull()));
	}

	@Test
	void authoritiesAreReadWithoutOAuth() {
		this.web.withClassLoader(new FilteredClassLoader(ClaimAccessor.class))
			.run((context) -> assertThat(context).hasSingleBean(AuthenticationAuthoritiesResolver.class)
				.hasSingleBean(ClaimResolver.class)
				.doesNotHaveBean(TokenClaimResolver.class));
	}

	@Test
	void withoutServletsOnlyCodeChecksRules() {
		new ApplicationContextRunner().withConfiguration(ALL)
			.withClassLoader(new FilteredClassLoader("jakarta.servlet", "org.springframework.web"))
			.withPropertyValues("tierlimit.rules.r.rate=1/s", "tierlimit.client-ip.trusted-proxies=10.0.0.0/8")
			.run((context) -> assertThat(context).hasSingleBean(RateLimiter.class));
	}

	@Test
	void withoutSpringSecurityTheFilterWorks() {
		this.web.withClassLoader(new FilteredClassLoader(Authentication.class))
			.run((context) -> assertThat(context).hasSingleBean(HttpCallerFactory.class)
				.doesNotHaveBean(AuthenticationAuthoritiesResolver.class));
	}

	@Test
	void withoutServletsTheEvaluatorRemains() {
		this.web.withClassLoader(new FilteredClassLoader(Filter.class))
			.run((context) -> assertThat(context).hasSingleBean(RateLimitEvaluator.class)
				.doesNotHaveBean(HttpCallerFactory.class));
		new ApplicationContextRunner().withConfiguration(ALL)
			.run((context) -> assertThat(context).hasSingleBean(RateLimitEvaluator.class)
				.doesNotHaveBean(RateLimitHeaders.class));
	}

	@ParameterizedTest
	@ValueSource(ints = { RateLimitFilter.DEFAULT_ORDER, -5000, Integer.MIN_VALUE })
	void requestIsBoundToItsThreadBeforeTheFirstFilter(int order) {
		this.web.withPropertyValues("tierlimit.web.order=" + order)
			.run((context) -> assertThat(
					filter(context, TierlimitServletAutoConfiguration.REQUEST_CONTEXT_FILTER_BEAN).getOrder())
				.isLessThan(filter(context, FilterOrders.FILTER_BEAN).getOrder()));
	}

	@Test
	void maxBucketsIsRead() {
		this.web.withPropertyValues("tierlimit.memory.max-buckets=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Correct tierlimit.memory.max-buckets (test)."));
	}

	@Test
	void keyResolverNamedLikeABuiltInScopeFailsStartup() {
		this.web.withBean("user", KeyResolver.class, () -> (caller) -> "x")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("The KeyResolver bean 'user' has the name of a built-in scope"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "tierlimit.rule.r.rate=1/s", "tierlimit.rules.r.rats=1/s",
			"tierlimit.headers.style=draft-11", "tierlimit.rules.r.plans.pro.limit=1", "tierlimit.rules.r.mode=monitor",
			"tierlimit.headers.styles=draft-10", "tierlimit.memory.max-buckets=many", "tierlimit.store=redi" })
	void unknownPropertyOrValueFailsStartup(String property) {
		this.web.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure().isInstanceOf(EarlyFailure.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "guessable", "" })
	void shortSecretFailsStartupAndIsNotLogged(String secret) {
		this.web.withPropertyValues("tierlimit.keys.secret=" + secret)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(
						"tierlimit.keys.secret must have at least 16 characters (has " + secret.length() + ")")
				.hasMessageContaining("tierlimit.keys.secret")
				.hasMessageNotContaining("guessable"));
	}

	@Test
	void mistakesAboutClientAddressesAreReportedTogether() {
		this.web
			.withPropertyValues("tierlimit.client-ip.trusted-proxies=10.0.0.1/8,proxy.example.org",
					"tierlimit.client-ip.header=forwarded,x-forwarded-for", "tierlimit.client-ip.ipv6-prefix=129")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> assertReported(ex.problems(),
						"tierlimit.client-ip.trusted-proxies[0]: '10.0.0.1/8' has bits below its prefix: write 10.0.0.0/8. Correct tierlimit.client-ip.trusted-proxies (test).",
						"tierlimit.client-ip.trusted-proxies[1]: 'proxy.example.org' is not a valid network: write an address and a prefix, such as 10.0.0.0/8|Correct tierlimit.client-ip.trusted-proxies (test).",
						"tierlimit.client-ip.header must name one header (was [Forwarded, X-Forwarded-For]). Set tierlimit.client-ip.header (test) to the header that your proxies write.",
						"tierlimit.client-ip.ipv6-prefix: |32 to 128 bits|(was '129'). Correct tierlimit.client-ip.ipv6-prefix (test).")));
	}

	@Test
	void prefixesAreReportedAsTheyAreWritten() {
		this.web
			.withPropertyValues("tierlimit.client-ip.trusted-proxies[0]=10.0.0.0/033",
					"tierlimit.client-ip.ipv6-prefix=0129")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidRulesException.class, (ex) -> assertReported(ex.problems(),
						"tierlimit.client-ip.trusted-proxies[0]: '10.0.0.0/033' must have a prefix of 0 to 32 bits, not '033'. Correct tierlimit.client-ip.trusted-proxies[0] (test).",
						"tierlimit.client-ip.ipv6-prefix: |32 to 128 bits|(was '0129'). Correct tierlimit.client-ip.ipv6-prefix (test).")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('X-User')", "usr", "user ==" })
	void userKeyThatReadsTheRequestFailsStartup(String key) {
		this.web.withPropertyValues("tierlimit.user.key=" + key)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Correct tierlimit.user.key"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('X-Plan')", "claim('plan') ?: param('plan')", "pln", "claim('plan') ==" })
	void planKeyThatReadsWhatAClientSendsFailsStartup(String key) {
		this.web.withPropertyValues("tierlimit.plan.key=" + key)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Correct tierlimit.plan.key"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.1", "10", "101%", "-1%", "100.5%", "much", "" })
	void invalidJitterFailsStartup(String jitter) {
		this.web.withPropertyValues("tierlimit.headers.retry-after-jitter=" + jitter, "tierlimit.rules.r.rate=often")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll("'" + jitter + "'", "Correct tierlimit.headers.retry-after-jitter (test).",
						"tierlimit.rules.r.rate"));
	}

	@Test
	void stylesWithTheSameHeadersPreventStartup() {
		this.web.withPropertyValues("tierlimit.headers.styles=draft-11,x-ratelimit,x-ratelimit-delta")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll("x-ratelimit and x-ratelimit-delta",
						"Correct tierlimit.headers.styles (test)."));
	}

	@Test
	void invalidPathPatternFailsStartup() {
		this.web.withPropertyValues("tierlimit.rules.r.paths=/a/{b")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll("Rule 'r': path '/a/{b' is not a valid path pattern",
						"tierlimit.rules.r.paths"));
	}

	private static FilterRegistrationBean<?> filter(AssertableWebApplicationContext context, String name) {
		return context.getBean(name, FilterRegistrationBean.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

		@Bean
		Ticker ownTicker() {
			return () -> 0;
		}

		@Bean
		BucketStore ownStore(Ticker ticker) {
			return new InMemoryBucketStore(ticker, 1);
		}

		@Bean
		PlanResolver ownPlans() {
			return (caller) -> null;
		}

		@Bean
		AuthoritiesResolver ownAuthorities() {
			return (principal) -> List.of();
		}

		@Bean
		CallerResolver ownCallers() {
			return () -> Caller.UNKNOWN;
		}

		@Bean
		RateLimitHeaders ownHeaders() {
			return new RateLimitHeaders(List.of(), RetryAfterJitter.NONE, InstantSource.system());
		}

		@Bean
		RateLimitEvaluator ownEvaluator(BucketStore store) {
			return new RateLimitEvaluator(store);
		}

		@Bean
		RateLimiter ownLimiter(ActiveRules rules, RateLimitEvaluator evaluator) {
			return new EvaluatingRateLimiter(rules, evaluator, () -> null);
		}

		@Bean
		RateLimitExceptionResolver ownResolver(RateLimitResponses responses) {
			return new RateLimitExceptionResolver(responses);
		}

		@Bean
		HandlerLookup ownHandlers() {
			return (request, arrived) -> null;
		}

		@Bean
		RateLimitRejectionHandler ownRejections() {
			return (verdict, request, response) -> response.setStatus(429);
		}

	}

}

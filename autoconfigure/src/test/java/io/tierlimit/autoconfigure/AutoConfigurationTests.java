package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.List;

import io.tierlimit.RateLimiter;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.settings.EarlyFailure;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.EvaluatingRateLimiter;
import io.tierlimit.evaluation.RateLimitEvaluator;
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
import org.junit.jupiter.params.provider.CsvSource;
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

	@ParameterizedTest
	@CsvSource({ "spring.security.filter.order=5, 2, 15", "tierlimit.web.order=-1000, -1000, -90",
			"tierlimit.web.authenticated-order=7, -103, 7" })
	void filtersFollowSpringSecurityUnlessTheirPlacesAreSet(String property, int before, int after) {
		this.secured.withPropertyValues(property).run((context) -> {
			assertThat(filter(context, FilterOrders.FILTER_BEAN).getOrder()).isEqualTo(before);
			assertThat(filter(context, FilterOrders.AUTHENTICATED_FILTER_BEAN).getOrder()).isEqualTo(after);
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
		this.web.withUserConfiguration(OwnBeans.class)
			.withBean("ownTicker", Ticker.class, () -> () -> 0)
			.withBean("ownStore", BucketStore.class, () -> new InMemoryBucketStore(() -> 0, 1))
			.withBean("ownPlans", PlanResolver.class, () -> (caller) -> null)
			.withBean("ownAuthorities", AuthoritiesResolver.class, () -> (principal) -> List.of())
			.withBean("ownCallers", CallerResolver.class, () -> () -> Caller.UNKNOWN)
			.withBean("ownHeaders", RateLimitHeaders.class,
					() -> new RateLimitHeaders(List.of(), RetryAfterJitter.NONE, InstantSource.system()))
			.withBean("ownHandlers", HandlerLookup.class, () -> (request, arrived) -> null)
			.withBean("ownRejections", RateLimitRejectionHandler.class,
					() -> (verdict, request, response) -> response.setStatus(429))
			.run((context) -> {
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
	void withoutServletsOnlyCodeChecksRules() {
		new ApplicationContextRunner().withConfiguration(ALL)
			.withClassLoader(new FilteredClassLoader("jakarta.servlet", "org.springframework.web"))
			.withPropertyValues("tierlimit.rules.r.rate=1/s", "tierlimit.client-ip.trusted-proxies=10.0.0.0/8")
			.run((context) -> assertThat(context).hasSingleBean(RateLimiter.class));
	}

	@Test
	void withoutALibraryTheOtherBeansRemain() {
		this.web.withClassLoader(new FilteredClassLoader(ClaimAccessor.class))
			.run((context) -> assertThat(context).hasSingleBean(AuthenticationAuthoritiesResolver.class)
				.hasSingleBean(ClaimResolver.class)
				.doesNotHaveBean(TokenClaimResolver.class));
		this.web.withClassLoader(new FilteredClassLoader(Authentication.class))
			.run((context) -> assertThat(context).hasSingleBean(HttpCallerFactory.class)
				.doesNotHaveBean(AuthenticationAuthoritiesResolver.class));
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

	@ParameterizedTest
	@ValueSource(strings = { "draft-11,,draft-06", "," })
	void emptyHeaderStyleIsReported(String styles) {
		assertReported(ReportedProblems.of(this.web.withPropertyValues("tierlimit.headers.styles=" + styles)),
				"tierlimit.headers.styles: one of the styles is empty. Correct tierlimit.headers.styles (test).");
	}

	@Test
	void mistakesAreReportedTogether() {
		assertReported(ReportedProblems.of(this.web
			.withPropertyValues("tierlimit.client-ip.trusted-proxies=10.0.0.1/8,proxy.example.org",
					"tierlimit.client-ip.header=forwarded,x-forwarded-for", "tierlimit.client-ip.ipv6-prefix=0129",
					"tierlimit.memory.max-buckets=0", "tierlimit.headers.styles=draft-11,x-ratelimit,x-ratelimit-delta",
					"tierlimit.headers.retry-after-jitter=0.1", "tierlimit.rules.r.rate=often",
					"tierlimit.user.key=header('X-User')", "tierlimit.plan.key=header('X-Plan')")
			.withBean("user", KeyResolver.class, () -> (caller) -> "x")),
				"tierlimit.client-ip.trusted-proxies[0]: '10.0.0.1/8' has bits below its prefix: write 10.0.0.0/8. Correct tierlimit.client-ip.trusted-proxies (test).",
				"tierlimit.client-ip.trusted-proxies[1]: 'proxy.example.org' is not a valid network: write an address and a prefix, such as 10.0.0.0/8|Correct tierlimit.client-ip.trusted-proxies (test).",
				"tierlimit.client-ip.header must name one header (was [Forwarded, X-Forwarded-For]). Set tierlimit.client-ip.header (test) to the header that your proxies write.",
				"tierlimit.client-ip.ipv6-prefix: |32 to 128 bits|(was '0129'). Correct tierlimit.client-ip.ipv6-prefix (test).",
				"Correct tierlimit.memory.max-buckets (test).",
				"x-ratelimit and x-ratelimit-delta|Correct tierlimit.headers.styles (test).",
				"'0.1'|Correct tierlimit.headers.retry-after-jitter (test).", "tierlimit.rules.r.rate",
				"Correct tierlimit.user.key", "Correct tierlimit.plan.key",
				"The KeyResolver bean 'user' has the name of a built-in scope");
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '"',
			textBlock = """
					client-ip.trusted-proxies[0]=10.0.0.0/033 ; tierlimit.client-ip.trusted-proxies[0]: '10.0.0.0/033' must have a prefix of 0 to 32 bits, not '033'. Correct tierlimit.client-ip.trusted-proxies[0] (test).
					client-ip.ipv6-prefix=129                 ; (was '129'). Correct tierlimit.client-ip.ipv6-prefix (test).
					user.key=usr                              ; Correct tierlimit.user.key
					user.key=user ==                          ; Correct tierlimit.user.key
					plan.key=claim('plan') ?: param('plan')   ; Correct tierlimit.plan.key
					plan.key=pln                              ; Correct tierlimit.plan.key
					plan.key=claim('plan') ==                 ; Correct tierlimit.plan.key
					headers.retry-after-jitter=10             ; '10'
					headers.retry-after-jitter=101%           ; '101%'
					headers.retry-after-jitter=-1%            ; '-1%'
					headers.retry-after-jitter=100.5%         ; '100.5%'
					headers.retry-after-jitter=much           ; 'much'
					headers.retry-after-jitter=               ; ''
					headers.style=draft-11                    ; 'style' is not a known property
					headers.styles=draft-10                   ; (was 'draft-10')
					memory.max-buckets=many                   ; (was 'many')
					store=redi                                ; (was 'redi')
					rule.r.rate=1/s                           ; 'rule' is not a known property
					rules.r.rats=1/s                          ; 'rats' is not a known property
					rules.r.mode=monitor                      ; (was 'monitor')
					rules.r.plans.pro.limit=1                 ; limit is not supported by token-bucket
					rules.r.paths=/a/{b                       ; Rule 'r': path '/a/{b' is not a valid path pattern
					""")
	void mistakeFailsStartup(String property, String problem) {
		this.web.withPropertyValues("tierlimit." + property)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(EarlyFailure.class)
				.rootCause()
				.hasMessageContaining(problem));
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

	private static FilterRegistrationBean<?> filter(AssertableWebApplicationContext context, String name) {
		return context.getBean(name, FilterRegistrationBean.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

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

	}

}

package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;

import io.tierlimit.address.IpNetwork;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.ManagementPath;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.report.AddressRewriterDetector;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.CallerLimits;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.evaluation.StandaloneCalls;
import io.tierlimit.key.IdentityResolver;
import io.tierlimit.rule.reader.Percentage;
import io.tierlimit.spi.web.RateLimitRejectionHandler;
import io.tierlimit.store.Ticker;
import io.tierlimit.web.CorsResponseHeaders;
import io.tierlimit.web.ExceptionHandlerDelegate;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.HttpCallerFactory;
import io.tierlimit.web.LimitsHandler;
import io.tierlimit.web.ProblemRejectionHandler;
import io.tierlimit.web.RateLimitFilter;
import io.tierlimit.web.RateLimitResponses;
import io.tierlimit.web.RequestRateLimiter;
import io.tierlimit.web.RequestRules;
import io.tierlimit.web.RequestRulesLookup;
import io.tierlimit.web.UntrustedProxyWarning;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RetryAfterJitter;
import io.tierlimit.web.proxy.ClientAddresses;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.RequestContextFilter;

/**
 * Configures the filters that check HTTP requests against the rules.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class,
		afterName = { "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration",
				"org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration",
				"org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
				"org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration" })
@ConditionalOnClass({ Filter.class, CorsConfigurationSource.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(RateLimitEvaluator.class)
@ImportRuntimeHints(TierlimitServletAutoConfiguration.JettyHints.class)
public final class TierlimitServletAutoConfiguration {

	static final String REQUEST_CONTEXT_FILTER_BEAN = "rateLimitRequestContextFilterRegistration";

	/**
	 * Spring MVC's bean that finds the CORS configuration of handlers. Tierlimit does not
	 * use it, because it reads the handler mappings itself.
	 */
	private static final String MVC_CORS_SOURCE = "mvcHandlerMappingIntrospector";

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	@ConditionalOnMissingBean
	RateLimitHeaders rateLimitHeaders(TierlimitProperties properties) {
		TierlimitProperties.Headers headers = properties.headers();
		Percentage jitter = Percentage.parse("tierlimit.headers.retry-after-jitter", headers.retryAfterJitter());
		return new RateLimitHeaders(headers.styles(), RetryAfterJitter.of(jitter.share().doubleValue()),
				InstantSource.system());
	}

	@Bean
	@ConditionalOnMissingBean(RateLimitRejectionHandler.class)
	ProblemRejectionHandler rateLimitRejectionHandler() {
		return new ProblemRejectionHandler();
	}

	@Bean
	RateLimitResponses rateLimitResponses(RateLimitHeaders headers, CorsResponseHeaders cors,
			RateLimitRejectionHandler rejections, ObjectProvider<ExceptionHandlerDelegate> exceptionHandlers) {
		return new RateLimitResponses(headers, cors, rejections,
				exceptionHandlers.getIfAvailable(() -> (rejection, handler, request, response) -> false));
	}

	@Bean
	RequestRulesLookup rateLimitRequestRulesLookup(ActiveRules rules, Environment environment,
			TierlimitProperties properties, ObjectProvider<HandlerLookup> handlers) {
		return new RequestRulesLookup(rules, new RequestRules.Options(ManagementPath.of(environment),
				properties.web().limitsPath(), handlers(handlers)::ignoresCase));
	}

	@Bean
	RequestRateLimiter rateLimitRequestRateLimiter(RateLimitEvaluator evaluator, HttpCallerFactory callers,
			RequestRulesLookup rules, MethodRulesLookup methods, RateLimitResponses responses,
			StandaloneCalls standalone, Ticker ticker) {
		return new RequestRateLimiter(evaluator, callers, rules, methods, responses, standalone, ticker::ticks);
	}

	@Bean
	FilterOrders rateLimitFilterOrders(Environment environment, TierlimitProperties properties) {
		return FilterOrders.of(environment, properties.web());
	}

	@Bean(FilterOrders.FILTER_BEAN)
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterRegistration(RequestRateLimiter limiter,
			RateLimitResponses responses, UntrustedProxyWarning proxies, LimitsHandler limits, FilterOrders orders,
			BeanFactory beans) {
		Stage stage = beans.containsBean(FilterOrders.AUTHENTICATED_FILTER_BEAN) ? Stage.BEFORE_AUTHENTICATION
				: Stage.ALL;
		return registration(new RateLimitFilter(stage, limiter, responses, proxies, limits), FilterOrders.FILTER_BEAN,
				orders.before());
	}

	@Bean(FilterOrders.AUTHENTICATED_FILTER_BEAN)
	@ConditionalOnBean(name = FilterOrders.SECURITY_BEAN)
	FilterRegistrationBean<RateLimitFilter> authenticatedRateLimitFilterRegistration(RequestRateLimiter limiter,
			RateLimitResponses responses, UntrustedProxyWarning proxies, LimitsHandler limits, FilterOrders orders) {
		return registration(new RateLimitFilter(Stage.AFTER_AUTHENTICATION, limiter, responses, proxies, limits),
				FilterOrders.AUTHENTICATED_FILTER_BEAN, orders.after());
	}

	@Bean
	LimitsHandler rateLimitLimitsHandler(TierlimitProperties properties, ActiveRules rules,
			RateLimitEvaluator evaluator, CorsResponseHeaders cors, RateLimitResponses responses) {
		return new LimitsHandler(properties.web().limitsPath(), new CallerLimits(rules, evaluator), cors, responses);
	}

	/**
	 * Binds the request to its thread unless it is bound already. Annotated methods and
	 * events of authentications find the request by the thread.
	 */
	@Bean(REQUEST_CONTEXT_FILTER_BEAN)
	FilterRegistrationBean<RequestContextFilter> rateLimitRequestContextFilterRegistration(FilterOrders orders) {
		FilterRegistrationBean<RequestContextFilter> registration = new FilterRegistrationBean<>(
				new RequestContextFilter() {

					@Override
					protected boolean shouldNotFilter(HttpServletRequest request) {
						return RequestContextHolder.getRequestAttributes() != null;
					}

				});
		registration.setName(REQUEST_CONTEXT_FILTER_BEAN);
		registration.setAsyncSupported(true);
		registration.setOrder(orders.before() - 1);
		return registration;
	}

	private static FilterRegistrationBean<RateLimitFilter> registration(RateLimitFilter filter, String name,
			int order) {
		FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
		registration.setName(name);
		// A filter that runs before these filters may forward or dispatch a request.
		registration
			.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC));
		registration.setAsyncSupported(true);
		registration.setOrder(order);
		return registration;
	}

	@Bean
	HttpCallerFactory rateLimitHttpCallerFactory(IdentityResolver identities, ClientAddresses addresses,
			ObjectProvider<HandlerLookup> handlers) {
		return new HttpCallerFactory(identities, addresses, handlers(handlers));
	}

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	ClientAddresses rateLimitClientAddresses(TierlimitProperties properties) {
		TierlimitProperties.ClientIp clientIp = properties.clientIp();
		return new ClientAddresses(clientIp.trustedProxies().stream().map(IpNetwork::parse).toList(),
				clientIp.header().get(0), clientIp.ipv6Prefix());
	}

	@Bean
	UntrustedProxyWarning rateLimitUntrustedProxyWarning(TierlimitProperties properties, Environment environment,
			ListableBeanFactory beans) {
		return new UntrustedProxyWarning(() -> properties.clientIp().trustedProxies().isEmpty()
				&& AddressRewriterDetector.find(environment, beans) == null);
	}

	private static HandlerLookup handlers(ObjectProvider<HandlerLookup> handlers) {
		return handlers.getIfAvailable(() -> (request, arrived) -> null);
	}

	@Bean
	CorsResponseHeaders rateLimitCorsFields(ListableBeanFactory beans, TierlimitProperties properties) {
		SingletonSupplier<List<CorsConfigurationSource>> sources = SingletonSupplier
			.of(() -> Arrays.stream(beans.getBeanNamesForType(CorsConfigurationSource.class))
				.filter((name) -> !name.equals(MVC_CORS_SOURCE))
				.map((name) -> beans.getBean(name, CorsConfigurationSource.class))
				.toList());
		return new CorsResponseHeaders(sources, properties.headers().expose());
	}

	/**
	 * Configures applications with an embedded server.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebServerFactoryCustomizer.class)
	static class EmbeddedServer {

		@Bean
		RulesBeforeServer rateLimitRulesBeforeServer(ObjectProvider<ConfiguredRules> rules) {
			return new RulesBeforeServer(rules);
		}

	}

	/**
	 * Registers the method of Jetty's stream that shows whether the body of a request has
	 * ended.
	 */
	static final class JettyHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			for (String version : List.of("ee10", "ee11")) {
				hints.reflection()
					.registerTypeIfPresent(classLoader, "org.eclipse.jetty." + version + ".servlet.HttpInput",
							(type) -> type.withMethod("hasContent", List.of(), ExecutableMode.INVOKE));
			}
		}

	}

}

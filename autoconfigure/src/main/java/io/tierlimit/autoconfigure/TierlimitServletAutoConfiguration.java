package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;

import io.tierlimit.autoconfigure.TierlimitProperties.Hold;
import io.tierlimit.evaluation.CallTabs;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.key.CallerResolver;
import io.tierlimit.key.Identities;
import io.tierlimit.web.CorsFields;
import io.tierlimit.web.HeldRequests;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.HttpCallers;
import io.tierlimit.web.ProblemRejectionHandler;
import io.tierlimit.web.RateLimitAnswers;
import io.tierlimit.web.RateLimitFilter;
import io.tierlimit.web.RateLimitRejectionHandler;
import io.tierlimit.web.ReachedRequests;
import io.tierlimit.web.RefusalAdvice;
import io.tierlimit.web.RequestStages;
import io.tierlimit.web.RequestTabs;
import io.tierlimit.web.UntrustedProxyWarning;
import io.tierlimit.web.address.ClientAddresses;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.header.RetryAfterJitter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;

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
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfigurationSource;

/**
 * The filters that hold HTTP requests against the rules, and what they need.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class,
		afterName = { "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
				"org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration" })
@ConditionalOnClass({ Filter.class, CorsConfigurationSource.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(RateLimitEvaluator.class)
public final class TierlimitServletAutoConfiguration {

	static final String FILTER_BEAN = "rateLimitFilterRegistration";

	static final String AUTHENTICATED_FILTER_BEAN = "authenticatedRateLimitFilterRegistration";

	/** Asks the handler mappings, as Tierlimit does itself. */
	private static final String MVC_CORS_SOURCE = "mvcHandlerMappingIntrospector";

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	@ConditionalOnMissingBean
	RateLimitHeaders rateLimitHeaders(TierlimitProperties properties) {
		TierlimitProperties.Headers headers = properties.headers();
		return new RateLimitHeaders(headers.styles(), headers.xRatelimitReset(),
				RetryAfterJitter.parse(headers.retryAfterJitter()), InstantSource.system());
	}

	@Bean
	@ConditionalOnMissingBean(RateLimitRejectionHandler.class)
	ProblemRejectionHandler rateLimitRejectionHandler() {
		return new ProblemRejectionHandler();
	}

	@Bean
	@ConditionalOnMissingBean
	RequestTabs rateLimitTabs(RateLimitEvaluator evaluator, HttpCallers callers, RateLimitHeaders headers,
			CorsFields cors, MethodRulesLookup methods, CallerResolver others, HeldRequests held) {
		return new RequestTabs(evaluator, callers, headers, cors, methods, new CallTabs(evaluator, others), held);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitAnswers rateLimitAnswers(RequestTabs tabs, RateLimitRejectionHandler rejections) {
		return new RateLimitAnswers(tabs, rejections);
	}

	@Bean
	RequestStages rateLimitRequestStages(RateLimitEvaluator evaluator, RequestTabs tabs, Environment environment,
			ObjectProvider<HandlerLookup> handlers, CorsFields cors, RateLimitAnswers answers,
			ObjectProvider<RefusalAdvice> advice) {
		return new RequestStages(evaluator, tabs, ManagementPath.of(environment), handlers(handlers), cors, answers,
				advice.getIfAvailable(() -> (refusal, handler, request, response) -> false));
	}

	@Bean
	FilterOrders rateLimitFilterOrders(Environment environment, TierlimitProperties properties) {
		return FilterOrders.of(environment, properties.web());
	}

	@Bean(FILTER_BEAN)
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterRegistration(RequestTabs tabs, RateLimitAnswers answers,
			RequestStages stages, UntrustedProxyWarning proxies, FilterOrders orders, BeanFactory beans) {
		Stage stage = beans.containsBean(AUTHENTICATED_FILTER_BEAN) ? Stage.BEFORE_AUTHENTICATION : Stage.ONLY;
		RateLimitFilter filter = new RateLimitFilter(tabs, stages.of(stage), answers, proxies);
		return registration(filter, FILTER_BEAN, orders.before());
	}

	@Bean(AUTHENTICATED_FILTER_BEAN)
	@ConditionalOnBean(name = FilterOrders.SECURITY_BEAN)
	FilterRegistrationBean<RateLimitFilter> authenticatedRateLimitFilterRegistration(RequestTabs tabs,
			RateLimitAnswers answers, RequestStages stages, UntrustedProxyWarning proxies, FilterOrders orders) {
		RateLimitFilter filter = new RateLimitFilter(tabs, stages.of(Stage.AFTER_AUTHENTICATION), answers, proxies);
		return registration(filter, AUTHENTICATED_FILTER_BEAN, orders.behind());
	}

	private static FilterRegistrationBean<RateLimitFilter> registration(RateLimitFilter filter, String name,
			int order) {
		FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
		registration.setName(name);
		// A filter before these may forward or dispatch a request that they have not
		// seen.
		registration
			.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC));
		registration.setAsyncSupported(true);
		registration.setOrder(order);
		return registration;
	}

	@Bean
	@ConditionalOnMissingBean
	HttpCallers rateLimitHttpCallers(Identities identities, ClientAddresses addresses,
			ObjectProvider<HandlerLookup> handlers) {
		return new HttpCallers(identities, addresses, handlers(handlers));
	}

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	ClientAddresses rateLimitClientAddresses(TierlimitProperties properties) {
		return ClientIpReader.read(properties.clientIp());
	}

	@Bean
	UntrustedProxyWarning rateLimitUntrustedProxyWarning(TierlimitProperties properties, Environment environment,
			ListableBeanFactory beans) {
		return new UntrustedProxyWarning(() -> properties.clientIp().trustedProxies().isEmpty()
				&& AddressRewriting.find(environment, beans) == null);
	}

	private static HandlerLookup handlers(ObjectProvider<HandlerLookup> handlers) {
		return handlers.getIfAvailable(() -> (request, arrived) -> null);
	}

	@Bean
	CorsFields rateLimitCorsFields(ListableBeanFactory beans, TierlimitProperties properties) {
		SingletonSupplier<List<CorsConfigurationSource>> sources = SingletonSupplier
			.of(() -> Arrays.stream(beans.getBeanNamesForType(CorsConfigurationSource.class))
				.filter((name) -> !name.equals(MVC_CORS_SOURCE))
				.map((name) -> beans.getBean(name, CorsConfigurationSource.class))
				.toList());
		return new CorsFields(sources, properties.headers().expose());
	}

	@Bean
	HeldRequests rateLimitHeldRequests(TierlimitProperties properties) {
		return new HeldRequests(properties.web().hold() == Hold.DISPATCH);
	}

	@Bean
	ReachedRequests rateLimitReachedRequests(RequestTabs tabs, RequestStages stages, HeldRequests held) {
		return new ReachedRequests(tabs, stages.of(Stage.ONLY), held);
	}

	/**
	 * Where an embedded server is made.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebServerFactoryCustomizer.class)
	static class EmbeddedServer {

		@Bean
		RulesBeforeServer rateLimitRulesBeforeServer(ObjectProvider<ConfiguredRules> rules) {
			return new RulesBeforeServer(rules);
		}

	}

}

package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.EnumSet;

import io.tierlimit.evaluation.CallTabs;
import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.key.CallerResolver;
import io.tierlimit.key.Identities;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.HttpCallers;
import io.tierlimit.web.ProblemRejectionHandler;
import io.tierlimit.web.RateLimitAnswers;
import io.tierlimit.web.RateLimitFilter;
import io.tierlimit.web.RateLimitRejectionHandler;
import io.tierlimit.web.RefusalAdvice;
import io.tierlimit.web.RequestRules;
import io.tierlimit.web.RequestTabs;
import io.tierlimit.web.header.RateLimitHeaders;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The filter that holds HTTP requests against the rules, and what it needs.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass({ Filter.class, OncePerRequestFilter.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(RateLimitEvaluator.class)
public final class TierlimitServletAutoConfiguration {

	static final String FILTER_BEAN = "rateLimitFilterRegistration";

	@Bean
	@ConditionalOnMissingBean
	RateLimitHeaders rateLimitHeaders(TierlimitProperties properties) {
		TierlimitProperties.Headers headers = properties.headers();
		return new RateLimitHeaders(headers.styles(), headers.xRatelimitReset(), InstantSource.system());
	}

	@Bean
	@ConditionalOnMissingBean(RateLimitRejectionHandler.class)
	ProblemRejectionHandler rateLimitRejectionHandler() {
		return new ProblemRejectionHandler();
	}

	@Bean
	@ConditionalOnMissingBean
	RequestTabs rateLimitTabs(RateLimitEvaluator evaluator, HttpCallers callers, RateLimitHeaders headers,
			MethodRulesLookup methods, CallerResolver others) {
		return new RequestTabs(evaluator, callers, headers, methods, new CallTabs(evaluator, others));
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitAnswers rateLimitAnswers(RequestTabs tabs, RateLimitRejectionHandler rejections) {
		return new RateLimitAnswers(tabs, rejections);
	}

	@Bean(FILTER_BEAN)
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterRegistration(RateLimitEvaluator evaluator, RequestTabs tabs,
			RateLimitAnswers answers, ObjectProvider<RefusalAdvice> advice, Environment environment) {
		RequestRules rules = new RequestRules(evaluator.rules(), ManagementPath.of(environment));
		FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(new RateLimitFilter(rules,
				tabs, answers, advice.getIfAvailable(() -> (refusal, handler, request, response) -> false)));
		registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
		registration.setAsyncSupported(true);
		registration.setOrder(FilterOrder.of(environment));
		return registration;
	}

	@Bean
	@ConditionalOnMissingBean
	HttpCallers rateLimitHttpCallers(Identities identities, ObjectProvider<HandlerLookup> handlers) {
		return new HttpCallers(identities, handlers.getIfAvailable(() -> (request) -> null));
	}

}

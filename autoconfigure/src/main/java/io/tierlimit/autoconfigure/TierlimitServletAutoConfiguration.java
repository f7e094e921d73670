package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;

import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.key.AuthoritiesResolver;
import io.tierlimit.key.PlanResolver;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.web.EndpointLookup;
import io.tierlimit.web.HttpCallers;
import io.tierlimit.web.ProblemRejectionHandler;
import io.tierlimit.web.RateLimitAnswers;
import io.tierlimit.web.RateLimitFilter;
import io.tierlimit.web.RateLimitRejectionHandler;
import io.tierlimit.web.RequestRules;
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
@AutoConfiguration(after = { TierlimitAutoConfiguration.class, TierlimitSecurityAutoConfiguration.class })
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
	RateLimitAnswers rateLimitAnswers(RateLimitHeaders headers, RateLimitRejectionHandler rejections) {
		return new RateLimitAnswers(headers, rejections);
	}

	@Bean(FILTER_BEAN)
	FilterRegistrationBean<RateLimitFilter> rateLimitFilterRegistration(RuleSet rules, RateLimitEvaluator evaluator,
			HttpCallers callers, RateLimitAnswers answers, Environment environment) {
		RequestRules requestRules = new RequestRules(rules, ManagementPath.of(environment));
		FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(
				new RateLimitFilter(requestRules, callers, evaluator, answers));
		registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
		registration.setAsyncSupported(true);
		registration.setOrder(FilterOrder.of(environment));
		return registration;
	}

	@Bean
	@ConditionalOnMissingBean
	HttpCallers rateLimitHttpCallers(ObjectProvider<AuthoritiesResolver> authorities, PlanResolver plans,
			ObjectProvider<EndpointLookup> endpoints) {
		return new HttpCallers(authorities.getIfAvailable(() -> (principal) -> List.of()), plans,
				endpoints.getIfAvailable(() -> (request) -> null));
	}

}

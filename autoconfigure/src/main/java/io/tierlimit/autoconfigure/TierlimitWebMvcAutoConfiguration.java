package io.tierlimit.autoconfigure;

import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.RateLimitAnswers;
import io.tierlimit.web.ReachedRequests;
import io.tierlimit.web.RefusalAdvice;
import io.tierlimit.web.RequestTabs;
import io.tierlimit.web.mvc.ExceptionResolverAdvice;
import io.tierlimit.web.mvc.HandlerFailureRecorder;
import io.tierlimit.web.mvc.HandlerMappingLookup;
import io.tierlimit.web.mvc.RateLimitExceptionResolver;
import io.tierlimit.web.mvc.ReachedRequestInterceptor;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * Endpoints as Spring MVC maps them, and refusals that a handler throws.
 */
@AutoConfiguration(after = TierlimitServletAutoConfiguration.class)
@ConditionalOnClass(HandlerMapping.class)
@ConditionalOnBean(RateLimitAnswers.class)
public final class TierlimitWebMvcAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(HandlerLookup.class)
	HandlerMappingLookup rateLimitHandlerLookup(ListableBeanFactory beans) {
		return new HandlerMappingLookup(beans);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitExceptionResolver rateLimitExceptionResolver(RateLimitAnswers answers) {
		return new RateLimitExceptionResolver(answers);
	}

	@Bean
	HandlerFailureRecorder rateLimitHandlerFailureRecorder(RequestTabs tabs) {
		return new HandlerFailureRecorder(tabs);
	}

	@Bean
	@ConditionalOnMissingBean(RefusalAdvice.class)
	ExceptionResolverAdvice rateLimitRefusalAdvice(ListableBeanFactory beans) {
		return new ExceptionResolverAdvice(beans);
	}

	/**
	 * Mappings collect interceptors when they are made: nothing may be made for it then.
	 */
	@Bean
	MappedInterceptor rateLimitReachedRequestInterceptor(ObjectProvider<ReachedRequests> requests) {
		HandlerInterceptor interceptor = new ReachedRequestInterceptor(SingletonSupplier.of(requests::getObject));
		return new MappedInterceptor(null, interceptor);
	}

}

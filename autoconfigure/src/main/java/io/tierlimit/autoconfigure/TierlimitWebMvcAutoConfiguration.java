package io.tierlimit.autoconfigure;

import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.RateLimitResponses;
import io.tierlimit.web.RequestRateLimiter;
import io.tierlimit.web.mvc.ExceptionResolverDelegate;
import io.tierlimit.web.mvc.HandlerFailureRecorder;
import io.tierlimit.web.mvc.HandlerMappingLookup;
import io.tierlimit.web.mvc.RateLimitExceptionResolver;
import io.tierlimit.web.mvc.RateLimitHandlerInterceptor;

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
 * Configures the look-up of Spring MVC's handlers, the check before a handler runs, and
 * the handling of rejections that a handler throws.
 */
@AutoConfiguration(after = TierlimitServletAutoConfiguration.class)
@ConditionalOnClass(HandlerMapping.class)
@ConditionalOnBean(RateLimitResponses.class)
public final class TierlimitWebMvcAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(HandlerLookup.class)
	HandlerMappingLookup rateLimitHandlerLookup(ListableBeanFactory beans) {
		return new HandlerMappingLookup(beans);
	}

	@Bean
	@ConditionalOnMissingBean
	RateLimitExceptionResolver rateLimitExceptionResolver(RateLimitResponses responses) {
		return new RateLimitExceptionResolver(responses);
	}

	@Bean
	HandlerFailureRecorder rateLimitHandlerFailureRecorder(RequestRateLimiter limiter) {
		return new HandlerFailureRecorder(limiter);
	}

	@Bean
	ExceptionResolverDelegate rateLimitExceptionHandlerDelegate(ListableBeanFactory beans) {
		return new ExceptionResolverDelegate(beans);
	}

	/**
	 * Mappings collect interceptors when they are created, so the interceptor must not
	 * create other beans then.
	 */
	@Bean
	MappedInterceptor rateLimitHandlerInterceptor(ObjectProvider<RequestRateLimiter> limiter) {
		HandlerInterceptor interceptor = new RateLimitHandlerInterceptor(SingletonSupplier.of(limiter::getObject));
		return new MappedInterceptor(null, interceptor);
	}

}

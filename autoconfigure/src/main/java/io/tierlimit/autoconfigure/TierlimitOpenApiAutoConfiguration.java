package io.tierlimit.autoconfigure;

import io.tierlimit.evaluation.MethodRulesLookup;
import io.tierlimit.spi.web.RateLimitRejectionHandler;
import io.tierlimit.web.HandlerLookup;
import io.tierlimit.web.ProblemRejectionHandler;
import io.tierlimit.web.RateLimitResponses;
import io.tierlimit.web.RequestRulesLookup;
import io.tierlimit.web.header.RateLimitHeaders;
import io.tierlimit.web.openapi.RateLimitCustomizer;
import io.tierlimit.web.openapi.RateLimitedResponses;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Documents limits in the OpenAPI documents of springdoc.
 */
@AutoConfiguration(after = { TierlimitServletAutoConfiguration.class, TierlimitWebMvcAutoConfiguration.class })
@ConditionalOnClass({ GlobalOpenApiCustomizer.class, GlobalOperationCustomizer.class })
@ConditionalOnBean({ RateLimitResponses.class, HandlerLookup.class })
public final class TierlimitOpenApiAutoConfiguration {

	@Bean
	RateLimitCustomizer rateLimitOpenApiCustomizer(RequestRulesLookup requests, MethodRulesLookup methods,
			RateLimitHeaders headers, RateLimitRejectionHandler rejections, Environment environment) {
		String servletPath = StringUtils.trimTrailingCharacter(environment.getProperty("spring.mvc.servlet.path", ""),
				'/');
		return new RateLimitCustomizer(requests, methods, servletPath,
				new RateLimitedResponses(headers.headers(), rejections instanceof ProblemRejectionHandler));
	}

}

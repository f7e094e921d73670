package io.tierlimit.autoconfigure;

import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.web.EndpointLookup;
import io.tierlimit.web.mvc.HandlerMappingEndpointLookup;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Endpoints as Spring MVC maps them.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass(HandlerMapping.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(RateLimitEvaluator.class)
public final class TierlimitWebMvcAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(EndpointLookup.class)
	HandlerMappingEndpointLookup rateLimitEndpointLookup(ListableBeanFactory beans) {
		return new HandlerMappingEndpointLookup(beans);
	}

}

package io.tierlimit.benchmarks.web;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.tierlimit.RateLimited;
import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitEventAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMetricsAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitServletAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitWebMvcAutoConfiguration;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * An application without a server: its filter, and the steps between the filter and a
 * handler.
 */
final class RateLimitedApplication {

	private final Filter filter;

	private final FilterChain chain;

	RateLimitedApplication(Map<String, Object> rules, String listeners, boolean annotated) {
		AnnotationConfigServletWebApplicationContext context = new AnnotationConfigServletWebApplicationContext();
		context.setServletContext(new MockServletContext());
		Map<String, Object> properties = new LinkedHashMap<>(rules);
		properties.put("spring.main.banner-mode", "off");
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("benchmark", properties));
		context.register(Web.class);
		if (!listeners.equals("none")) {
			context.register(Meters.class);
		}
		if (annotated) {
			context.register(Annotated.class);
		}
		context.refresh();
		this.filter = Objects
			.requireNonNull(context.getBean("rateLimitFilterRegistration", FilterRegistrationBean.class).getFilter());
		HandlerInterceptor interceptor = context.getBean("rateLimitHandlerInterceptor", MappedInterceptor.class)
			.getInterceptor();
		Pages pages = context.getBean(Pages.class);
		HandlerMethod handler = handler(pages);
		this.chain = (request, response) -> {
			try {
				interceptor.preHandle((HttpServletRequest) request, (HttpServletResponse) response, handler);
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		};
	}

	private static HandlerMethod handler(Object controller) {
		try {
			return new HandlerMethod(controller, "page");
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	int serve(PlainRequest request, PlainResponse response) throws Exception {
		this.filter.doFilter(request, response, this.chain);
		return response.getStatus();
	}

	@ImportAutoConfiguration({ TierlimitAutoConfiguration.class, TierlimitEventAutoConfiguration.class,
			TierlimitMethodAutoConfiguration.class, TierlimitServletAutoConfiguration.class,
			TierlimitWebMvcAutoConfiguration.class, TierlimitMetricsAutoConfiguration.class,
			WebMvcAutoConfiguration.class, DispatcherServletAutoConfiguration.class })
	@Configuration(proxyBeanMethods = false)
	@Import(Pages.class)
	static class Web {

	}

	@ImportAutoConfiguration({ MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
			SimpleMetricsExportAutoConfiguration.class, ObservationAutoConfiguration.class })
	@Configuration(proxyBeanMethods = false)
	static class Meters {

	}

	@RestController
	static class Pages {

		@GetMapping("/page")
		public String page() {
			return "";
		}

	}

	@RestController
	static class Annotated {

		@RateLimited(rate = "1/s")
		@GetMapping("/annotated")
		String annotated() {
			return "";
		}

	}

}

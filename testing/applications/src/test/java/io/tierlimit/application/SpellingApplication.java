package io.tierlimit.application;

import java.util.Locale;

import io.tierlimit.store.SimulatedTicker;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.eclipse.jetty.ee11.servlet.ServletHandler;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * One target of every kind, which reports that it was reached, with several ways to match
 * paths.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SimulatedTicker.class, SpellingApplication.Targets.class })
class SpellingApplication {

	private static final String REACHED = "X-Reached";

	@Bean
	@Profile("!bare")
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.build();
	}

	@Bean
	@Profile("!bare")
	HttpFirewall firewall() {
		return new TestApplication.OpenFirewall();
	}

	@Bean
	RouterFunction<ServerResponse> functional() {
		return RouterFunctions.route()
			.GET("/places/functional", (request) -> ServerResponse.ok().header(REACHED, "functional").build())
			.build();
	}

	@Bean
	ServletRegistrationBean<HttpServlet> servlet() {
		return Registrations.servlet("/places/servlet/*",
				(request, response) -> response.setHeader(REACHED, "servlet"));
	}

	@Bean
	@Profile("overriding")
	FilterRegistrationBean<Filter> overriding() {
		return Registrations.filter(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
			String method = request.getHeader("X-HTTP-Method-Override");
			chain.doFilter(Registrations.withMethod(request, (method != null) ? method.toUpperCase(Locale.ROOT) : null),
					response);
		});
	}

	@Bean
	@Profile("forwarding")
	FilterRegistrationBean<Filter> forwarding() {
		return Registrations.filter(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
			String to = request.getHeader("X-Forward-To");
			if (to != null) {
				request.getRequestDispatcher(to).forward(request, response);
			}
			else {
				chain.doFilter(request, response);
			}
		});
	}

	@Bean
	@Profile("folding")
	WebMvcConfigurer folding() {
		return new WebMvcConfigurer() {

			@Override
			public void configurePathMatch(PathMatchConfigurer configurer) {
				PathPatternParser parser = new PathPatternParser();
				parser.setCaseSensitive(false);
				configurer.setPatternParser(parser);
			}

		};
	}

	@Bean
	@Profile("ant")
	@SuppressWarnings("removal")
	WebMvcConfigurer ant() {
		return new WebMvcConfigurer() {

			@Override
			public void configurePathMatch(PathMatchConfigurer configurer) {
				AntPathMatcher matcher = new AntPathMatcher();
				matcher.setCaseSensitive(false);
				configurer.setPathMatcher(matcher);
			}

		};
	}

	@Bean
	@Profile("slashes")
	FilterRegistrationBean<Filter> slashes() {
		return new FilterRegistrationBean<>(UrlHandlerFilter.trailingSlashHandler("/**").wrapRequest().build());
	}

	@Configuration(proxyBeanMethods = false)
	@Profile("lenient")
	@ConditionalOnClass(name = "org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory")
	static class LenientTomcat {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> lenient() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> {
				connector.setEncodedSolidusHandling(EncodedSolidusHandling.DECODE.getValue());
				connector.setAllowBackslash(true);
				connector.setProperty("relaxedPathChars", "\\|{}^[]\"<>`");
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Profile("lenient")
	@ConditionalOnClass(name = "org.springframework.boot.jetty.servlet.JettyServletWebServerFactory")
	static class LenientJetty {

		@Bean
		WebServerFactoryCustomizer<JettyServletWebServerFactory> lenient() {
			return (factory) -> {
				factory.addServerCustomizers((server) -> {
					for (Connector connector : server.getConnectors()) {
						connector.getConnectionFactory(HttpConnectionFactory.class)
							.getHttpConfiguration()
							.setUriCompliance(UriCompliance.UNSAFE);
					}
					for (ServletHandler handler : server.getDescendants(ServletHandler.class)) {
						handler.setDecodeAmbiguousURIs(true);
					}
				});
			};
		}

	}

	@RestController
	static final class Targets {

		@GetMapping("/places/mvc")
		void mvc(HttpServletResponse response) {
			response.setHeader(REACHED, "mvc");
		}

		@GetMapping("/places/variable/{id}")
		void variable(@PathVariable String id, HttpServletResponse response) {
			response.setHeader(REACHED, "variable");
		}

		@RequestMapping("/places/any")
		void any(HttpServletResponse response) {
			response.setHeader(REACHED, "any");
		}

		@DeleteMapping("/places/removal")
		void removal(HttpServletResponse response) {
			response.setHeader(REACHED, "removal");
		}

	}

}

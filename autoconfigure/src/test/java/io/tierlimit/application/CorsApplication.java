package io.tierlimit.application;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.method.RateLimited;
import io.tierlimit.store.SimulatedTicker;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Cross-origin requests are allowed in three ways.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(CorsApplication.Handlers.class)
class CorsApplication {

	@Bean
	SimulatedTicker ticker() {
		return new SimulatedTicker();
	}

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.cors(Customizer.withDefaults())
			.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.build();
	}

	@Bean
	CorsConfigurationSource corsConfigurationSource() {
		CorsConfiguration configuration = new CorsConfiguration();
		configuration.setAllowedOrigins(List.of("https://bean.example"));
		configuration.setAllowedMethods(List.of("GET", "POST"));
		configuration.setExposedHeaders(List.of("X-Own"));
		UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
		source.registerCorsConfiguration("/by-bean/**", configuration);
		return source;
	}

	@Bean
	WebMvcConfigurer mappings() {
		return new WebMvcConfigurer() {

			@Override
			public void addCorsMappings(CorsRegistry registry) {
				registry.addMapping("/by-mapping/**").allowedOrigins("https://mapping.example").allowCredentials(true);
			}

		};
	}

	@Bean
	ServletRegistrationBean<HttpServlet> servlet() {
		return new ServletRegistrationBean<>(new AnyMethodServlet(), "/servlet/*");
	}

	@RestController
	static class Handlers {

		private final AtomicInteger uploads = new AtomicInteger();

		int uploads() {
			return this.uploads.get();
		}

		@GetMapping({ "/by-bean/data", "/by-mapping/data", "/same-origin/data" })
		String data() {
			return "data";
		}

		@CrossOrigin("https://annotation.example")
		@GetMapping("/by-annotation/data")
		String annotated() {
			return "data";
		}

		@CrossOrigin("https://annotation.example")
		@RateLimited(name = "inline", rate = "1/d")
		@GetMapping("/by-annotation/limited")
		String limited() {
			return "data";
		}

		@PostMapping("/upload")
		int upload(@RequestBody byte[] body) {
			this.uploads.incrementAndGet();
			return body.length;
		}

	}

	static final class AnyMethodServlet extends HttpServlet {

		private static final long serialVersionUID = 1L;

		@Override
		protected void service(HttpServletRequest request, HttpServletResponse response) {
			response.setHeader("X-Reached", "servlet");
		}

	}

}

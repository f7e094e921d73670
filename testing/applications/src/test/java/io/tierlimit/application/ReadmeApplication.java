package io.tierlimit.application;

import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import io.tierlimit.store.SimulatedTicker;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application for the rules of the README: orders, exports, and a login form.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SimulatedTicker.class, CountingPasswordEncoder.class, ReadmeApplication.Handlers.class })
class ReadmeApplication {

	@Bean
	SecurityFilterChain security(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.httpBasic(Customizer.withDefaults())
			.formLogin(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(user("fred", "ROLE_USER"), user("paula", "PLAN_pro"),
				user("emma", "PLAN_enterprise"));
	}

	private static UserDetails user(String name, String authority) {
		return User.withUsername(name).password("secret").authorities(authority).build();
	}

	@RestController
	static class Handlers {

		@GetMapping("/orders")
		String orders() {
			return "orders";
		}

		@PostMapping("/exports")
		String export() {
			return "export";
		}

	}

}

package com.example.desk;

import io.tierlimit.RateLimited;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class DeskApplication {

	public static void main(String[] args) {
		SpringApplication.run(DeskApplication.class, args);
	}

	@Bean
	SecurityFilterChain security(HttpSecurity http) throws Exception {
		return http.csrf((csrf) -> csrf.disable())
			.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.httpBasic(Customizer.withDefaults())
			.formLogin(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(user("fred", "ROLE_USER"), user("paula", "PLAN_pro"),
				user("rita", "ROLE_USER"), user("ann", "ROLE_USER"));
	}

	private static UserDetails user(String name, String authority) {
		return User.withUsername(name).password("{noop}secret").authorities(authority).build();
	}

	@RestController
	static class Desk {

		private final Reports reports;

		Desk(Reports reports) {
			this.reports = reports;
		}

		@GetMapping("/seats")
		String seats() {
			return "3 seats";
		}

		@GetMapping("/reports/{id}")
		String report(@PathVariable String id) {
			return this.reports.render(id);
		}

		@PostMapping("/exports")
		String export() {
			return "export";
		}

		@RateLimited(rate = "1/d", scope = "user")
		@GetMapping("/plan")
		String plan() {
			return "plan";
		}

	}

	@Service
	static class Reports {

		@RateLimited(rate = "2/d", key = "#id")
		String render(String id) {
			return "report " + id;
		}

	}

}

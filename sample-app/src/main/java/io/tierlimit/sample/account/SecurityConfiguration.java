package io.tierlimit.sample.account;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Configures HTTP basic for customers, whose authority {@code PLAN_<plan>} defines the
 * plan, and for the operator, who may use the management endpoints and their page.
 */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

	/** The lowest strength, because HTTP basic checks the password on every request. */
	private static final int STRENGTH = 4;

	private static final String OPERATOR = "OPERATOR";

	/** Pages load all resources from this server, and contain nothing inline. */
	private static final String CONTENT = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	@Bean
	SecurityFilterChain securityFilterChain(HttpSecurity http) {
		return http
			.authorizeHttpRequests((requests) -> requests.requestMatchers(new CrossOriginRequestMatcher())
				.denyAll()
				.requestMatchers(EndpointRequest.to("health"))
				.permitAll()
				.requestMatchers(EndpointRequest.toAnyEndpoint())
				.hasRole(OPERATOR)
				.requestMatchers("/operator/**")
				.hasRole(OPERATOR)
				.requestMatchers("/api/orders/**")
				.authenticated()
				.anyRequest()
				.permitAll())
			.httpBasic(Customizer.withDefaults())
			.headers((headers) -> headers.contentSecurityPolicy((policy) -> policy.policyDirectives(CONTENT)))
			// CrossOriginRequestMatcher protects against CSRF. Clients without a browser
			// need no token.
			.csrf((csrf) -> csrf.disable())
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.build();
	}

	@Bean
	AuthenticationManager authenticationManager(UserDetailsService users, PasswordEncoder passwords) {
		DaoAuthenticationProvider provider = new DaoAuthenticationProvider(users);
		provider.setPasswordEncoder(passwords);
		return new ProviderManager(provider);
	}

	@Bean
	UserDetailsService users(PasswordEncoder passwords) {
		return new InMemoryUserDetailsManager(customer("fred", "free", passwords), customer("flora", "free", passwords),
				customer("paula", "pro", passwords), customer("emma", "enterprise", passwords), operator(passwords));
	}

	private static UserDetails customer(String name, String plan, PasswordEncoder passwords) {
		return User.withUsername(name).password(passwords.encode("secret")).authorities("PLAN_" + plan).build();
	}

	/** The operator has no plan. */
	private static UserDetails operator(PasswordEncoder passwords) {
		return User.withUsername("olga").password(passwords.encode("secret")).roles(OPERATOR).build();
	}

	/**
	 * A production application should use at least the default strength of the encoder.
	 */
	@Bean
	PasswordEncoder passwordEncoder() {
		return new BCryptPasswordEncoder(STRENGTH);
	}

}

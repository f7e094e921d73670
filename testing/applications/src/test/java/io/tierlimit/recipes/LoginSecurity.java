package io.tierlimit.recipes;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;

@Configuration(proxyBeanMethods = false)
class LoginSecurity {

	@Bean
	SecurityFilterChain form(HttpSecurity http) {
		return http.csrf(AbstractHttpConfigurer::disable)
			.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.formLogin((form) -> form
				.successHandler((request, response, user) -> response.setStatus(HttpStatus.NO_CONTENT.value()))
				.failureHandler((request, response, failure) -> response.setStatus(HttpStatus.UNAUTHORIZED.value())))
			.build();
	}

}

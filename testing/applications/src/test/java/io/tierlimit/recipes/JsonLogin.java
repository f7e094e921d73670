package io.tierlimit.recipes;

import io.tierlimit.RateLimited;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class JsonLogin {

	private final AuthenticationManager authentication;

	JsonLogin(AuthenticationManager authentication) {
		this.authentication = authentication;
	}

	@PostMapping("/login")
	@RateLimited(value = "login-failures-per-account", key = "#login.username()?.trim()?.toLowerCase()")
	ResponseEntity<Void> login(@RequestBody Login login) {
		try {
			this.authentication
				.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(login.username(), login.password()));
			// Your application now creates a session or a token.
			return ResponseEntity.noContent().build();
		}
		catch (AuthenticationException ex) {
			return ResponseEntity.status(HttpStatus.UNAUTHORIZED).build();
		}
	}

	record Login(String username, String password) {
	}

}

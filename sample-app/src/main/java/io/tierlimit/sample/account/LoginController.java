package io.tierlimit.sample.account;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class LoginController {

	private final AuthenticationManager authentication;

	LoginController(AuthenticationManager authentication) {
		this.authentication = authentication;
	}

	@PostMapping("/api/login")
	ResponseEntity<Void> login(@RequestBody Credentials credentials) {
		try {
			this.authentication.authenticate(
					UsernamePasswordAuthenticationToken.unauthenticated(credentials.user(), credentials.password()));
			return ResponseEntity.noContent().build();
		}
		catch (AuthenticationException ex) {
			return ResponseEntity.status(HttpStatus.UNAUTHORIZED).build();
		}
	}

}

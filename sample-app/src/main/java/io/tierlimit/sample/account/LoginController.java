package io.tierlimit.sample.account;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Checks a password. The limits require no code: the rules depend on the status of the
 * response.
 */
@RestController
class LoginController {

	private final AuthenticationManager authentication;

	LoginController(AuthenticationManager authentication) {
		this.authentication = authentication;
	}

	@PostMapping(path = "/api/login", consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
	ResponseEntity<Void> login(@RequestParam String username, @RequestParam String password) {
		try {
			this.authentication.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(username, password));
			return ResponseEntity.noContent().build();
		}
		catch (AuthenticationException ex) {
			return ResponseEntity.status(HttpStatus.UNAUTHORIZED).build();
		}
	}

}

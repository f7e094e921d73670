package io.tierlimit.application;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * Logins that code of the application checks, on several threads, and failed logins whose
 * responses depend on the types that the client accepts.
 */
@RestController
class LoginHandlers {

	private static final ResponseEntity<Void> REDIRECT = ResponseEntity.status(302).location(URI.create("/")).build();

	private final AuthenticationManager authentication;

	LoginHandlers(AuthenticationManager authentication) {
		this.authentication = authentication;
	}

	/** A request that matches the rule of the login, but is not a login. */
	@RequestMapping({ "/login/", "/signin/", "/{name:sign[a-z]+}" })
	ResponseEntity<Void> noLogin() {
		return ResponseEntity.noContent().build();
	}

	@PostMapping(path = { "/signin", "/slashed" }, consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
	ResponseEntity<Void> signIn(String username, String password) {
		try {
			this.authentication.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(username, password));
			return ResponseEntity.noContent().build();
		}
		catch (AuthenticationException ex) {
			return ResponseEntity.status(401).build();
		}
	}

	@PostMapping("/elsewhere")
	DeferredResult<ResponseEntity<Void>> signInElsewhere(String username, String password) {
		return elsewhere(() -> signIn(username, password));
	}

	@PostMapping("/elsewhere/bound")
	DeferredResult<ResponseEntity<Void>> signInElsewhereWithTheRequest(String username, String password) {
		RequestAttributes attributes = RequestContextHolder.currentRequestAttributes();
		return elsewhere(() -> {
			RequestContextHolder.setRequestAttributes(attributes);
			// Another status, so that only the event reports the failure.
			return ResponseEntity.status(signIn(username, password).getStatusCode().isError() ? 400 : 204).build();
		});
	}

	@PostMapping("/callable/login")
	Callable<ResponseEntity<Void>> signInByCallable(String username, String password) {
		return () -> ResponseEntity.status(signIn(username, password).getStatusCode().isError() ? 400 : 204).build();
	}

	private static DeferredResult<ResponseEntity<Void>> elsewhere(Supplier<ResponseEntity<Void>> answer) {
		DeferredResult<ResponseEntity<Void>> result = new DeferredResult<>();
		new Thread(() -> result.setResult(answer.get())).start();
		return result;
	}

	@GetMapping("/picky/entity")
	ResponseEntity<Map<String, String>> entity() {
		return unauthorized();
	}

	@GetMapping("/picky/thrown")
	void thrown() {
		throw new BadCredentialsException("on purpose");
	}

	@GetMapping("/picky/deferred")
	DeferredResult<String> deferred() {
		DeferredResult<String> result = new DeferredResult<>();
		new Thread(() -> result.setErrorResult(new CompletionException(new BadCredentialsException("on purpose"))))
			.start();
		return result;
	}

	@GetMapping("/picky/failing")
	void failing() {
		throw new IllegalStateException("on purpose");
	}

	private static ResponseEntity<Map<String, String>> unauthorized() {
		return ResponseEntity.status(401).body(Map.of("error", "unauthorized"));
	}

	@ExceptionHandler({ HttpMediaTypeNotAcceptableException.class, BadCredentialsException.class,
			CompletionException.class })
	ResponseEntity<Void> redirect() {
		return REDIRECT;
	}

	@ExceptionHandler
	ResponseEntity<Map<String, String>> handle(IllegalStateException ex) {
		return unauthorized();
	}

}

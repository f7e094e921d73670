package io.tierlimit.security;

import java.security.Principal;
import java.util.function.Supplier;

import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.key.IdentityResolver;
import io.tierlimit.key.PrincipalCaller;
import io.tierlimit.rule.Account;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.core.Authentication;

/**
 * Records Spring Security's authentication events in the current request: of form logins,
 * HTTP basic, tokens, and programs that call an authentication manager. The event of an
 * interactive login is ignored: only some of Spring Security's filters publish it, and
 * always in addition to the other event.
 */
public final class AuthenticationEventListener implements ApplicationListener<AbstractAuthenticationEvent> {

	private final Supplier<@Nullable CurrentRequest> request;

	private final Supplier<IdentityResolver> identities;

	/**
	 * Creates a listener.
	 * @param request records the results; {@code null} if there are no requests
	 * @param identities resolves the names of users
	 */
	public AuthenticationEventListener(Supplier<@Nullable CurrentRequest> request,
			Supplier<IdentityResolver> identities) {
		this.request = request;
		this.identities = identities;
	}

	@Override
	public void onApplicationEvent(AbstractAuthenticationEvent event) {
		CurrentRequest current = this.request.get();
		if (current == null) {
			return;
		}
		if (event instanceof AbstractAuthenticationFailureEvent) {
			current.recordFailedAuthentication();
		}
		else if (event instanceof AuthenticationSuccessEvent) {
			current.recordAuthentication(account(event.getAuthentication()));
		}
	}

	private Account account(Authentication authentication) {
		String user = new PrincipalCaller(this.identities.get()) {

			@Override
			protected Principal principal() {
				return authentication;
			}

		}.user();
		String name = authentication.getName();
		return new Account(name, (user != null) ? user : name);
	}

	/** Another thread does not serve the request. */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

}

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
 * Records authentications in the current request. Spring Security publishes an event for
 * each call to an authentication manager: for a form login, HTTP basic, a token, or a
 * call by the application. The event of an interactive login is ignored, because Spring
 * Security always publishes it in addition to the event of the authentication manager.
 *
 * @param currentRequest supplies the request that records the results; {@code null} if
 * the application serves no requests
 * @param identities supplies the resolver of user names
 */
public record AuthenticationEventListener(Supplier<@Nullable CurrentRequest> currentRequest,
		Supplier<IdentityResolver> identities) implements ApplicationListener<AbstractAuthenticationEvent> {

	@Override
	public void onApplicationEvent(AbstractAuthenticationEvent event) {
		CurrentRequest current = this.currentRequest.get();
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

	/**
	 * Returns false, because only the thread that publishes the event is bound to the
	 * request.
	 */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

}

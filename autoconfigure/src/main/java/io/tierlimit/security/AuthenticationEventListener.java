package io.tierlimit.security;

import java.security.Principal;
import java.util.function.Supplier;

import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.key.Identities;
import io.tierlimit.key.PrincipalCaller;
import io.tierlimit.rule.Account;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.core.Authentication;

/**
 * Notes for the current request what Spring Security tells of authentications: by form,
 * by HTTP basic, by token, or by a program that asks an authentication manager. The event
 * of an interactive login is not heard: only some of Spring Security's filters publish
 * it, and never in place of the other.
 */
public final class AuthenticationEventListener implements ApplicationListener<AbstractAuthenticationEvent> {

	private final Supplier<@Nullable CurrentRequest> request;

	private final Supplier<Identities> identities;

	/**
	 * Creates a listener.
	 * @param request records it; {@code null} where there are no requests
	 * @param identities tells by what name users are known
	 */
	public AuthenticationEventListener(Supplier<@Nullable CurrentRequest> request, Supplier<Identities> identities) {
		this.request = request;
		this.identities = identities;
	}

	@Override
	public void onApplicationEvent(AbstractAuthenticationEvent event) {
		CurrentRequest known = this.request.get();
		if (known == null) {
			return;
		}
		if (event instanceof AbstractAuthenticationFailureEvent) {
			known.recordFailedAuthentication();
		}
		else if (event instanceof AuthenticationSuccessEvent) {
			known.recordAuthentication(account(event.getAuthentication()));
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

	/** Another thread serves no request. */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

}

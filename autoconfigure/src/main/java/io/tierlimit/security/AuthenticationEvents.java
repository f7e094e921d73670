package io.tierlimit.security;

import java.security.Principal;
import java.util.function.Supplier;

import io.tierlimit.evaluation.Tabs;
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
public final class AuthenticationEvents implements ApplicationListener<AbstractAuthenticationEvent> {

	private final Supplier<@Nullable Tabs> tabs;

	private final Supplier<Identities> identities;

	/**
	 * Creates a listener.
	 * @param tabs know the current request; {@code null} where there are no requests
	 * @param identities tells by what name users are known
	 */
	public AuthenticationEvents(Supplier<@Nullable Tabs> tabs, Supplier<Identities> identities) {
		this.tabs = tabs;
		this.identities = identities;
	}

	@Override
	public void onApplicationEvent(AbstractAuthenticationEvent event) {
		Tabs known = this.tabs.get();
		if (known == null) {
			return;
		}
		if (event instanceof AbstractAuthenticationFailureEvent) {
			known.noteFailedAuthentication();
		}
		else if (event instanceof AuthenticationSuccessEvent) {
			known.noteAuthentication(account(event.getAuthentication()));
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

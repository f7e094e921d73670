package io.tierlimit.security;

import java.util.function.Supplier;

import io.tierlimit.evaluation.Tabs;
import io.tierlimit.rule.AuthenticationResult;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;

/**
 * Notes for the current request what Spring Security tells of authentications: by form,
 * by HTTP basic, by token, or by a program that asks an authentication manager. The event
 * of an interactive login is not heard: only some of Spring Security's filters publish
 * it, and never in place of the other.
 */
public final class AuthenticationEvents implements ApplicationListener<AbstractAuthenticationEvent> {

	private final Supplier<@Nullable Tabs> tabs;

	/**
	 * Creates a listener.
	 * @param tabs know the current request; {@code null} where there are no requests
	 */
	public AuthenticationEvents(Supplier<@Nullable Tabs> tabs) {
		this.tabs = tabs;
	}

	@Override
	public void onApplicationEvent(AbstractAuthenticationEvent event) {
		if (event instanceof AbstractAuthenticationFailureEvent) {
			note(AuthenticationResult.FAILURE);
		}
		else if (event instanceof AuthenticationSuccessEvent) {
			note(AuthenticationResult.SUCCESS);
		}
	}

	private void note(AuthenticationResult result) {
		Tabs known = this.tabs.get();
		if (known != null) {
			known.note(result);
		}
	}

	/** Another thread serves no request. */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

}

package io.tierlimit.security;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.evaluation.Tab;
import io.tierlimit.evaluation.Tabs;
import io.tierlimit.rule.AuthenticationResult;
import org.junit.jupiter.api.Test;

import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authentication.event.AuthenticationFailureServiceExceptionEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.authentication.event.InteractiveAuthenticationSuccessEvent;
import org.springframework.security.authentication.event.LogoutSuccessEvent;
import org.springframework.security.core.Authentication;

import static org.assertj.core.api.Assertions.assertThat;

class AuthenticationEventsTests {

	private static final Authentication ALICE = new TestingAuthenticationToken("alice", "secret");

	private final NotingTabs tabs = new NotingTabs();

	private final SimpleApplicationEventMulticaster events = new SimpleApplicationEventMulticaster();

	@Test
	void failuresAndSuccessesAreNotedAndNothingElseIs() {
		this.events.addApplicationListener(new AuthenticationEvents(() -> this.tabs));
		this.events.multicastEvent(new AuthenticationSuccessEvent(ALICE));
		this.events.multicastEvent(
				new AuthenticationFailureServiceExceptionEvent(ALICE, new BadCredentialsException("directory")));
		this.events.multicastEvent(new InteractiveAuthenticationSuccessEvent(ALICE, getClass()));
		this.events.multicastEvent(new LogoutSuccessEvent(ALICE));
		assertThat(this.tabs.noted).containsExactly(AuthenticationResult.SUCCESS, AuthenticationResult.FAILURE);
	}

	@Test
	void eventIsHeardByTheThreadThatServesTheRequest() {
		this.events.setTaskExecutor((task) -> {
		});
		this.events.addApplicationListener(new AuthenticationEvents(() -> this.tabs));
		this.events.multicastEvent(new AuthenticationSuccessEvent(ALICE));
		assertThat(this.tabs.noted).containsExactly(AuthenticationResult.SUCCESS);
	}

	@Test
	void withoutRequestsNothingIsNoted() {
		this.events.addApplicationListener(new AuthenticationEvents(() -> null));
		this.events.multicastEvent(new AuthenticationSuccessEvent(ALICE));
		assertThat(this.tabs.noted).isEmpty();
	}

	private static final class NotingTabs implements Tabs {

		private final List<AuthenticationResult> noted = new ArrayList<>();

		@Override
		public Tab current() {
			throw new IllegalStateException("No tab is to be opened");
		}

		@Override
		public void note(AuthenticationResult result) {
			this.noted.add(result);
		}

	}

}

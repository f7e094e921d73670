package io.tierlimit.security;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.tierlimit.evaluation.CurrentRequest;
import io.tierlimit.evaluation.RunningCall;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.key.IdentityResolver;
import io.tierlimit.rule.Account;
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

class AuthenticationEventListenerTests {

	private static final Authentication ALICE = new TestingAuthenticationToken("alice", "secret");

	private static final IdentityResolver IDENTITIES = new IdentityResolver(null, (principal) -> List.of(),
			(principal, claim) -> null, (caller) -> null);

	private final RecordingRequest request = new RecordingRequest();

	private final SimpleApplicationEventMulticaster events = new SimpleApplicationEventMulticaster();

	@Test
	void onlyFailuresAndSuccessesAreRecorded() {
		this.events.addApplicationListener(new AuthenticationEventListener(() -> this.request, () -> IDENTITIES));
		this.events.multicastEvent(new AuthenticationSuccessEvent(ALICE));
		this.events.multicastEvent(
				new AuthenticationFailureServiceExceptionEvent(ALICE, new BadCredentialsException("directory")));
		this.events.multicastEvent(new InteractiveAuthenticationSuccessEvent(ALICE, getClass()));
		this.events.multicastEvent(new LogoutSuccessEvent(ALICE));
		assertThat(this.request.recorded).containsExactly(new Account("alice", "alice"), "failure");
	}

	@Test
	void eventIsReceivedByTheThreadThatServesTheRequest() {
		this.events.setTaskExecutor((task) -> {
		});
		this.events.addApplicationListener(new AuthenticationEventListener(() -> this.request, () -> IDENTITIES));
		this.events.multicastEvent(new AuthenticationSuccessEvent(ALICE));
		assertThat(this.request.recorded).containsExactly(new Account("alice", "alice"));
	}

	@Test
	void withoutRequestsNothingIsRecorded() {
		this.events.addApplicationListener(new AuthenticationEventListener(() -> null, () -> IDENTITIES));
		this.events.multicastEvent(new AuthenticationSuccessEvent(ALICE));
		assertThat(this.request.recorded).isEmpty();
	}

	@Test
	void accountHasTheNamesOfTheAuthenticationAndOfTheUser() {
		IdentityResolver identities = new IdentityResolver(
				CallerExpression.parse("claim('tenant')", ExpressionUse.KEY, Map.of()), (principal) -> List.of(),
				(principal, claim) -> principal.getName().equals("bob") ? null : claim + "-1", (caller) -> null);
		this.events.addApplicationListener(new AuthenticationEventListener(() -> this.request, () -> identities));
		this.events.multicastEvent(new AuthenticationSuccessEvent(ALICE));
		this.events.multicastEvent(new AuthenticationSuccessEvent(new TestingAuthenticationToken("bob", "secret")));
		assertThat(this.request.recorded).containsExactly(new Account("alice", "tenant-1"), new Account("bob", "bob"));
	}

	private static final class RecordingRequest implements CurrentRequest {

		private final List<Object> recorded = new ArrayList<>();

		@Override
		public RunningCall beginCall(Method method, Class<?> type, Object[] arguments) {
			throw new IllegalStateException("No method is called");
		}

		@Override
		public void recordFailedAuthentication() {
			this.recorded.add("failure");
		}

		@Override
		public void recordAuthentication(Account account) {
			this.recorded.add(account);
		}

	}

}

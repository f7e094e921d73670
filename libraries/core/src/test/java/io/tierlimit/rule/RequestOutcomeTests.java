package io.tierlimit.rule;

import io.tierlimit.rule.RequestOutcome.Event;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestOutcomeTests {

	@Test
	void changedOutcomeKeepsTheFacts() {
		ExchangeFacts measured = new ExchangeFacts() {
		};
		RequestOutcome outcome = RequestOutcome.answered(200)
			.with(measured)
			.with(Event.FAILED)
			.authenticated(new Account("alice", "alice"));
		assertThat(outcome.exchange()).isSameAs(measured);
		assertThat(outcome.has(Event.HANDLER_REACHED)).isTrue();
		assertThat(outcome.status()).isEqualTo(200);
	}

}

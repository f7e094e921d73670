package io.tierlimit.rule;

import io.tierlimit.rule.RequestOutcome.Event;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestOutcomeTests {

	@Test
	void outcomeWithoutAMeasurementHasUnknownFacts() {
		assertThat(RequestOutcome.answered(200).exchange()).isSameAs(ExchangeFacts.UNKNOWN);
		assertThat(RequestOutcome.unhandled(404).exchange()).isSameAs(ExchangeFacts.UNKNOWN);
		assertThat(ExchangeFacts.UNKNOWN.duration()).isNull();
		assertThat(ExchangeFacts.UNKNOWN.requestBytes()).isNull();
		assertThat(ExchangeFacts.UNKNOWN.responseBytes()).isNull();
		assertThat(ExchangeFacts.UNKNOWN.responseHeader("X-Units")).isNull();
	}

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

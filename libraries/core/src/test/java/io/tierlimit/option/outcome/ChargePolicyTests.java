package io.tierlimit.option.outcome;

import java.util.List;
import java.util.stream.Stream;

import io.tierlimit.rule.Account;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.rule.RequestOutcome.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ChargePolicyTests {

	private static final Account ALICE = new Account("alice", "alice");

	private static final ChargePolicy LOGIN = new ChargePolicy(conditions("401", "authentication-failure"),
			conditions("204", "authentication-success"));

	@ParameterizedTest
	@ValueSource(strings = { "100", "401", "599", "1xx", "5xx", "authentication-failure", "authentication-success" })
	void conditionsAreReadAndWritten(String word) {
		assertThat(OutcomeCondition.parse(word)).hasToString(word);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "99", "600", "0xx", "6xx", "40x", "4xxx", "1000", "-401", "always", "failure" })
	void otherConditionsAreRejected(String word) {
		assertThatIllegalArgumentException().isThrownBy(() -> OutcomeCondition.parse(word)).withMessageContaining(word);
	}

	@Test
	void standardPolicyAlwaysChargesAndNeverResets() {
		assertThat(ChargePolicy.STANDARD.charges(RequestOutcome.answered(200))).isTrue();
		assertThat(resets(ChargePolicy.STANDARD, RequestOutcome.answered(200).authenticated(ALICE))).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "401, false, false, false, true, false", "302, true, false, false, true, false",
			"302, false, true, false, false, true", "204, false, false, false, false, true",
			"404, false, false, false, false, false", "204, true, true, false, true, false",
			"401, false, true, false, true, false", "204, false, true, true, true, false",
			"200, false, false, true, true, false", "404, false, true, false, false, false" })
	void chargesAndResets(int status, boolean failure, boolean success, boolean left, boolean charges, boolean resets) {
		RequestOutcome ending = RequestOutcome.answered(status)
			.authenticated(success ? new Account[] { ALICE } : new Account[0])
			.with(failure ? new Event[] { Event.AUTHENTICATION_FAILED } : new Event[0])
			.with(left ? new Event[] { Event.STATUS_HIDDEN } : new Event[0]);
		assertThat(LOGIN.charges(ending)).isEqualTo(charges);
		assertThat(resets(LOGIN, ending)).isEqualTo(resets);
	}

	@Test
	void statusAndAuthenticationResetIndependently() {
		RequestOutcome status = RequestOutcome.answered(204);
		assertThat(LOGIN.resetsByStatus(status)).isTrue();
		assertThat(LOGIN.resetsBySuccess(status)).isFalse();
		RequestOutcome success = RequestOutcome.answered(302).authenticated(ALICE);
		assertThat(LOGIN.resetsByStatus(success)).isFalse();
		assertThat(LOGIN.resetsBySuccess(success)).isTrue();
		assertThat(new ChargePolicy(List.of(), conditions("204")).resetsBySuccess(success)).isFalse();
		assertThat(LOGIN.hasStatusReset()).isTrue();
		assertThat(LOGIN.hasSuccessReset()).isTrue();
		assertThat(new ChargePolicy(List.of(), conditions("204")).hasSuccessReset()).isFalse();
		assertThat(new ChargePolicy(List.of(), conditions("authentication-success")).hasStatusReset()).isFalse();
	}

	@Test
	void statusWithoutAMappedHandlerResetsNothing() {
		RequestOutcome unmapped = RequestOutcome.answered(204).authenticated(ALICE).with(Event.HANDLER_UNMAPPED);
		assertThat(LOGIN.resetsByStatus(unmapped)).isFalse();
		assertThat(LOGIN.resetsBySuccess(unmapped)).isTrue();
		assertThat(LOGIN.charges(unmapped)).isFalse();
	}

	@Test
	void failurePreventsAResetEvenIfItIsNotCharged() {
		ChargePolicy chargePolicy = new ChargePolicy(List.of(), conditions("204", "authentication-success"));
		assertThat(resets(chargePolicy, RequestOutcome.answered(204).authenticated(ALICE))).isTrue();
		assertThat(resets(chargePolicy,
				RequestOutcome.answered(204).authenticated(ALICE).with(Event.AUTHENTICATION_FAILED)))
			.isFalse();
		assertThat(resets(chargePolicy, RequestOutcome.answered(204).authenticated(ALICE).with(Event.FAILED)))
			.isFalse();
	}

	@Test
	void policyThatAlwaysChargesMayReset() {
		ChargePolicy chargePolicy = new ChargePolicy(List.of(), conditions("2xx"));
		assertThat(chargePolicy.charges(RequestOutcome.answered(204))).isTrue();
		assertThat(resets(chargePolicy, RequestOutcome.answered(204))).isTrue();
		assertThat(resets(chargePolicy, RequestOutcome.answered(204).with(Event.STATUS_HIDDEN)))
			.as("the client closed the connection")
			.isFalse();
	}

	@Test
	void statusOfAnErrorMayReset() {
		ChargePolicy chargePolicy = new ChargePolicy(conditions("401"), conditions("404"));
		assertThat(resets(chargePolicy, RequestOutcome.answered(404))).isTrue();
	}

	@Test
	void conditionThatBothChargesAndResetsIsRejected() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new ChargePolicy(conditions("404"), conditions("200", "4xx")))
			.withMessage("charge-on and reset-on must not overlap: charge-on 404, reset-on 4xx");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new ChargePolicy(List.of(), conditions("authentication-failure")));
	}

	@Test
	void policyDependsOnAuthenticationIfAConditionDoes() {
		assertThat(LOGIN.waitsForAuthentication()).isTrue();
		assertThat(new ChargePolicy(List.of(), conditions("authentication-success")).waitsForAuthentication()).isTrue();
		assertThat(new ChargePolicy(conditions("401"), conditions("200")).waitsForAuthentication()).isFalse();
	}

	private static boolean resets(ChargePolicy chargePolicy, RequestOutcome ending) {
		return chargePolicy.resetsByStatus(ending) || chargePolicy.resetsBySuccess(ending);
	}

	private static List<OutcomeCondition> conditions(String... words) {
		return Stream.of(words).map(OutcomeCondition::parse).toList();
	}

	@Test
	void responseThatTheClientDoesNotAcceptIsChargedAndResetsNothing() {
		ChargePolicy chargePolicy = new ChargePolicy(List.of(new StatusRange(401, 401)),
				List.of(new StatusRange(406, 406)));
		assertThat(chargePolicy.charges(RequestOutcome.answered(406))).isTrue();
		assertThat(chargePolicy.resetsByStatus(RequestOutcome.answered(406))).isFalse();
		assertThat(chargePolicy.charges(RequestOutcome.answered(404))).isFalse();
	}

}

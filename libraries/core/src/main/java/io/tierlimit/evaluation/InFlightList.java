package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.option.InFlight;
import io.tierlimit.rule.RequestOutcome;
import io.tierlimit.spi.Caller;

/**
 * What options keep for one request until its end. The list does not change; what it
 * contains is guarded by the lock of its transaction.
 *
 * @param kept what the options keep
 */
record InFlightList(List<InFlight> kept) {

	/** The options keep nothing. */
	static final InFlightList NONE = new InFlightList(List.of());

	boolean isEmpty() {
		return this.kept.isEmpty();
	}

	/** Whether a rule of a verdict may keep anything. */
	static boolean mayFollow(Verdict verdict) {
		List<RuleDecision> decisions = verdict.decisions();
		for (int i = 0; verdict.allowed() && i < decisions.size(); i++) {
			if (ChargeDecision.of(decisions.get(i)).ruleCharge().ruleOptions().followsRequests()) {
				return true;
			}
		}
		return false;
	}

	/** Begins what the rules of a verdict keep, once for each request. */
	InFlightList begin(Verdict verdict, String caller) {
		List<InFlight> begun = new ArrayList<>(this.kept);
		for (RuleDecision decision : verdict.decisions()) {
			ChargeDecision.of(decision).ruleCharge().ruleOptions().begin(caller, begun);
		}
		return new InFlightList(begun);
	}

	/** The name of the user, otherwise the address. */
	static String nameOf(Caller caller) {
		String user = caller.user();
		return (user != null) ? user : Objects.requireNonNullElse(caller.ip(), "");
	}

	void continueAs(String caller) {
		this.kept.forEach((request) -> request.continueAs(caller));
	}

	/** Returns what is kept afterwards: nothing. */
	InFlightList end(RequestOutcome outcome) {
		this.kept.forEach((request) -> request.end(outcome));
		return NONE;
	}

	/** Returns what is kept afterwards: nothing. */
	InFlightList cancel() {
		this.kept.forEach(InFlight::cancel);
		return NONE;
	}

	/** Begins again what was canceled, unless it has begun meanwhile. */
	InFlightList resume(InFlightList canceled) {
		List<InFlight> resumed = new ArrayList<>(this.kept);
		for (InFlight request : canceled.kept) {
			if (resumed.stream().noneMatch(request::isLike)) {
				resumed.add(request.again());
			}
		}
		return new InFlightList(resumed);
	}

}

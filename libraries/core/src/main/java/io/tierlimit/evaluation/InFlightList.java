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
 * The objects that options keep for one request until its end, such as measurements. The
 * list is immutable; its elements are guarded by the lock of the transaction.
 *
 * @param kept the objects of the options
 */
record InFlightList(List<InFlight> kept) {

	/** A list without objects. */
	static final InFlightList NONE = new InFlightList(List.of());

	boolean isEmpty() {
		return this.kept.isEmpty();
	}

	/** Whether a rule of a verdict may keep an object. */
	static boolean mayFollow(Verdict verdict) {
		List<RuleDecision> decisions = verdict.decisions();
		for (int i = 0; verdict.allowed() && i < decisions.size(); i++) {
			if (ChargeDecision.of(decisions.get(i)).ruleCharge().ruleOptions().followsRequests()) {
				return true;
			}
		}
		return false;
	}

	/** Adds the objects of the rules of a verdict, each once for each request. */
	InFlightList begin(Verdict verdict, String caller) {
		List<InFlight> begun = new ArrayList<>(this.kept);
		for (RuleDecision decision : verdict.decisions()) {
			ChargeDecision.of(decision).ruleCharge().ruleOptions().begin(caller, begun);
		}
		return new InFlightList(begun);
	}

	/** The name of the user; the client address if there is no user. */
	static String nameOf(Caller caller) {
		String user = caller.user();
		return (user != null) ? user : Objects.requireNonNullElse(caller.ip(), "");
	}

	void continueAs(String caller) {
		this.kept.forEach((request) -> request.continueAs(caller));
	}

	/** Returns the empty list that replaces this one. */
	InFlightList end(RequestOutcome outcome) {
		this.kept.forEach((request) -> request.end(outcome));
		return NONE;
	}

	/** Returns the empty list that replaces this one. */
	InFlightList cancel() {
		this.kept.forEach(InFlight::cancel);
		return NONE;
	}

	/**
	 * Adds canceled objects again, unless their rules have added new ones in the
	 * meantime.
	 */
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

package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.option.InFlight;
import io.tierlimit.rule.RequestOutcome;

/**
 * What options keep for one request until its end. Guarded by the lock of its
 * transaction.
 */
final class InFlightList {

	private List<InFlight> kept = List.of();

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
	void begin(Verdict verdict, String caller) {
		List<InFlight> begun = new ArrayList<>(this.kept);
		for (RuleDecision decision : verdict.decisions()) {
			ChargeDecision.of(decision).ruleCharge().ruleOptions().begin(caller, begun);
		}
		this.kept = begun;
	}

	void continueAs(String caller) {
		this.kept.forEach((request) -> request.continueAs(caller));
	}

	void end(RequestOutcome outcome) {
		endAll((request) -> request.end(outcome));
	}

	/** Returns what was canceled. */
	List<InFlight> cancel() {
		return endAll(InFlight::cancel);
	}

	private List<InFlight> endAll(Consumer<InFlight> end) {
		List<InFlight> ended = this.kept;
		this.kept = List.of();
		ended.forEach(end);
		return ended;
	}

	/** Begins again what was canceled, unless it has begun meanwhile. */
	void resume(List<InFlight> canceled) {
		List<InFlight> resumed = new ArrayList<>(this.kept);
		for (InFlight request : canceled) {
			if (resumed.stream().noneMatch(request::isLike)) {
				resumed.add(request.again());
			}
		}
		this.kept = resumed;
	}

}

package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.rule.Ending;

/**
 * What a request was charged by rules to which it matters how it ends. Each charge is
 * settled once, by whoever comes first: a request may be served by several threads.
 */
final class OpenCharges {

	private final List<RuleDecision> open = new ArrayList<>(0);

	private boolean settled;

	/** Notes what a verdict took; once all is settled, that stands. */
	synchronized void add(Verdict verdict) {
		for (RuleDecision decision : verdict.decisions()) {
			if (!this.settled && decision.decision().allowed() && !decision.rule().charging().isStandard()) {
				this.open.add(decision);
			}
		}
	}

	/** Leaves out what was given back for another reason. */
	synchronized void remove(Verdict verdict) {
		verdict.decisions().forEach(this.open::remove);
	}

	/** What is to be done about all that is open, now that the request has ended. */
	synchronized Settlement settle(Ending ending) {
		this.settled = true;
		Settlement due = Settlement.of(this.open, ending);
		this.open.clear();
		return due;
	}

}

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
 * The objects that options keep for one request until its end, such as measurements.
 * Thread-safe.
 */
final class InFlightObjects {

	/** Immutable. */
	private volatile List<InFlight> kept = List.of();

	private boolean ended;

	/** Adds the objects of the rules of a verdict, each once for each request. */
	void begin(Verdict verdict, Caller caller) {
		if (keepsObjects(verdict)) {
			String name = nameOf(caller);
			synchronized (this) {
				List<InFlight> begun = new ArrayList<>(this.kept);
				for (int i = 0; !this.ended && i < verdict.decisions().size(); i++) {
					ChargeDecision.of(verdict.decisions().get(i)).ruleCharge().compiled().options().begin(name, begun);
				}
				this.kept = begun;
			}
		}
	}

	private static boolean keepsObjects(Verdict verdict) {
		List<RuleDecision> decisions = verdict.decisions();
		for (int i = 0; verdict.allowed() && i < decisions.size(); i++) {
			if (ChargeDecision.of(decisions.get(i)).ruleCharge().compiled().options().followsRequests()) {
				return true;
			}
		}
		return false;
	}

	/** The name of the user; the client address if there is no user. */
	private static String nameOf(Caller caller) {
		String user = caller.user();
		return (user != null) ? user : Objects.requireNonNullElse(caller.ip(), "");
	}

	/** Continues with another view of the same caller. */
	void continueAs(Caller caller) {
		if (!this.kept.isEmpty()) {
			String name = nameOf(caller);
			synchronized (this) {
				this.kept.forEach((object) -> object.continueAs(name));
			}
		}
	}

	/**
	 * Cancels all objects.
	 * @return the canceled objects
	 */
	synchronized List<InFlight> cancel() {
		List<InFlight> canceled = this.kept;
		for (int i = 0; i < canceled.size(); i++) {
			canceled.get(i).cancel();
		}
		this.kept = List.of();
		return canceled;
	}

	/**
	 * Adds canceled objects again, unless their rules have added new ones in the
	 * meantime, or the request has ended.
	 */
	synchronized void resume(List<InFlight> canceled) {
		List<InFlight> resumed = new ArrayList<>(this.kept);
		for (InFlight object : canceled) {
			if (!this.ended && resumed.stream().noneMatch(object::isLike)) {
				resumed.add(object.again());
			}
		}
		this.kept = resumed;
	}

	/** Ends all objects of an allowed request; cancels all objects of a rejected one. */
	synchronized void end(RequestOutcome outcome, boolean allowed) {
		if (!allowed) {
			cancel();
		}
		for (int i = 0; i < this.kept.size(); i++) {
			this.kept.get(i).end(outcome);
		}
		this.kept = List.of();
		this.ended = true;
	}

}

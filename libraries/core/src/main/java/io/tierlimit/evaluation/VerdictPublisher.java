package io.tierlimit.evaluation;

import java.util.List;
import java.util.function.Supplier;

import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;

/**
 * Runs evaluations within the observer, and notifies options and listeners of verdicts.
 * If one of them throws an exception, the request does not fail, and its verdict does not
 * change. The first exception from each class of observer or listener, and from the
 * options of each rule, is logged.
 */
public final class VerdictPublisher {

	/** A publisher without an observer and without listeners. */
	public static final VerdictPublisher NONE = new VerdictPublisher(EvaluationObserver.NONE, List::of);

	private final EvaluationObserver observer;

	private final Supplier<List<VerdictListener>> listeners;

	private final OnceLogger failures = new OnceLogger(VerdictPublisher.class);

	/**
	 * Creates a publisher.
	 * @param observer observes every evaluation
	 * @param listeners supplies the listeners in the order in which they are notified;
	 * called for each published verdict
	 */
	public VerdictPublisher(EvaluationObserver observer, Supplier<List<VerdictListener>> listeners) {
		this.observer = observer;
		this.listeners = listeners;
	}

	/**
	 * Runs an evaluation exactly once, within the observer. Returns the verdict of the
	 * evaluation, even if the observer throws an exception, returns another verdict, or
	 * does not run the evaluation.
	 */
	@SuppressWarnings("ReturnValueIgnored")
	Verdict observe(Supplier<Verdict> evaluation) {
		if (this.observer == EvaluationObserver.NONE) {
			return evaluation.get();
		}
		EvaluatedOnce once = new EvaluatedOnce(evaluation);
		try {
			this.observer.observe(once);
		}
		catch (Throwable ex) {
			if (!once.hasFailedWith(ex)) {
				warn(this.observer.getClass(), this.observer.getClass().getName() + " failed to observe an evaluation",
						ex);
			}
		}
		return once.get();
	}

	/** Notifies options and listeners, unless no rule applied. */
	void publish(Verdict verdict, Caller caller) {
		if (verdict.outcome() == Outcome.ALLOWED && verdict.decisions().isEmpty() && verdict.undecided().isEmpty()) {
			return;
		}
		for (int i = 0; i < verdict.decisions().size(); i++) {
			if (verdict.decisions().get(i) instanceof ChargeDecision decision) {
				notifyOptions(decision, verdict, i);
			}
		}
		try {
			for (VerdictListener listener : this.listeners.get()) {
				notify(listener, verdict, caller);
			}
		}
		catch (Throwable ex) {
			warn(VerdictPublisher.class, "The VerdictListener beans could not be created", ex);
		}
	}

	private void notifyOptions(ChargeDecision decision, Verdict verdict, int position) {
		try {
			decision.ruleCharge().compiled().options().decided(verdict.decisions(), position);
		}
		catch (Throwable ex) {
			warnOfVerdict(decision.rule(), "Rule '" + decision.rule() + "'", ex);
		}
	}

	private void notify(VerdictListener listener, Verdict verdict, Caller caller) {
		try {
			listener.onVerdict(verdict, caller);
		}
		catch (Throwable ex) {
			warnOfVerdict(listener.getClass(), listener.getClass().getName(), ex);
		}
	}

	private void warnOfVerdict(Object subject, String name, Throwable failure) {
		warn(subject, name + " failed when it was notified of a verdict", failure);
	}

	private void warn(Object subject, String message, Throwable failure) {
		this.failures.warn(subject,
				message + ". This does not change any verdict. Further such failures are not logged.", failure);
	}

}

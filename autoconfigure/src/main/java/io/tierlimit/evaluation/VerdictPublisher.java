package io.tierlimit.evaluation;

import java.util.List;
import java.util.function.Supplier;

import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;

/**
 * Notifies the observer of evaluations and the listeners to verdicts. An exception of an
 * observer or listener neither fails a request nor changes its verdict. The first
 * exception of each class is logged.
 */
public final class VerdictPublisher {

	/** Notifies nothing. */
	public static final VerdictPublisher NONE = new VerdictPublisher(EvaluationObserver.NONE, List::of);

	private final EvaluationObserver observer;

	private final Supplier<List<VerdictListener>> listeners;

	private final OnceLogger failures = new OnceLogger(VerdictPublisher.class);

	/**
	 * Creates a publisher.
	 * @param observer surrounds every evaluation
	 * @param listeners get every verdict, in this order; looked up for each verdict
	 */
	public VerdictPublisher(EvaluationObserver observer, Supplier<List<VerdictListener>> listeners) {
		this.observer = observer;
		this.listeners = listeners;
	}

	/**
	 * Evaluates once, observed. The verdict is the evaluation's own, also if the observer
	 * fails before it or after it, or returns another one.
	 */
	@SuppressWarnings("ReturnValueIgnored")
	Verdict observe(Supplier<Verdict> evaluation) {
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

	void publish(Verdict verdict, Caller caller) {
		if (verdict.outcome() == Outcome.ALLOWED && verdict.decisions().isEmpty() && verdict.undecided().isEmpty()) {
			return;
		}
		try {
			this.listeners.get().forEach((listener) -> notify(listener, verdict, caller));
		}
		catch (Throwable ex) {
			warn(VerdictPublisher.class, "The VerdictListener beans could not be created", ex);
		}
	}

	private void notify(VerdictListener listener, Verdict verdict, Caller caller) {
		try {
			listener.onVerdict(verdict, caller);
		}
		catch (Throwable ex) {
			warn(listener.getClass(), listener.getClass().getName() + " failed when it was notified of a verdict", ex);
		}
	}

	private void warn(Class<?> culprit, String message, Throwable failure) {
		this.failures.warn(culprit,
				message + ". This does not change any verdict. Further failures of this class are not logged.",
				failure);
	}

}

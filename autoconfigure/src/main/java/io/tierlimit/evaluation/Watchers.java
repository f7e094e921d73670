package io.tierlimit.evaluation;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.Caller;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * All who watch what is decided.
 */
public final class Watchers {

	/** Nobody watches. */
	public static final Watchers NONE = new Watchers(EvaluationObserver.NONE, List::of);

	private static final Log logger = LogFactory.getLog(Watchers.class);

	private final EvaluationObserver observer;

	private final Supplier<List<VerdictListener>> listeners;

	private final Set<Class<?>> failed = ConcurrentHashMap.newKeySet();

	/**
	 * Creates watchers.
	 * @param observer watches every evaluation
	 * @param listeners are told every verdict, in this order; asked for whenever there is
	 * one
	 */
	public Watchers(EvaluationObserver observer, Supplier<List<VerdictListener>> listeners) {
		this.observer = observer;
		this.listeners = listeners;
	}

	Verdict observe(Supplier<Verdict> evaluation) {
		return this.observer.observe(evaluation);
	}

	void tell(Verdict verdict, Caller caller) {
		if (verdict.outcome() == Outcome.ALLOWED && verdict.decisions().isEmpty() && verdict.unasked().isEmpty()) {
			return;
		}
		try {
			this.listeners.get().forEach((listener) -> tell(listener, verdict, caller));
		}
		catch (RuntimeException | LinkageError ex) {
			warn(Watchers.class, "There is nobody to tell verdicts to", ex);
		}
	}

	private void tell(VerdictListener listener, Verdict verdict, Caller caller) {
		try {
			listener.decided(verdict, caller);
		}
		catch (RuntimeException | LinkageError | AssertionError ex) {
			warn(listener.getClass(), listener.getClass().getName() + " failed when it was told a verdict", ex);
		}
	}

	private void warn(Class<?> culprit, String message, Throwable failure) {
		if (this.failed.add(culprit)) {
			logger.warn(message + ". Other such failures are not told.", failure);
		}
	}

}

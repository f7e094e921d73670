package io.tierlimit.evaluation;

import java.util.function.Supplier;

import io.tierlimit.Verdict;

/**
 * Observes evaluations, to time and trace them. An evaluation is one stage of a web
 * request, one call to an annotated method, or one call to a {@code RateLimiter}.
 */
@FunctionalInterface
public interface EvaluationObserver {

	/** Observes nothing. */
	EvaluationObserver NONE = Supplier::get;

	/**
	 * Observes an evaluation.
	 * @param evaluation must be called in the same thread; it runs exactly once, even if
	 * the observer calls it several times or never
	 * @return the verdict of the evaluation; another verdict or an exception is ignored
	 */
	Verdict observe(Supplier<Verdict> evaluation);

}

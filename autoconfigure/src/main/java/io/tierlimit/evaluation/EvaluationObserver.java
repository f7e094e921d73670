package io.tierlimit.evaluation;

import java.util.function.Supplier;

/**
 * Watches evaluations: a stage of a web request, a call of an annotated method, a
 * program's claims. Times and traces them.
 */
@FunctionalInterface
public interface EvaluationObserver {

	/** Watches nothing. */
	EvaluationObserver NONE = Supplier::get;

	/**
	 * Evaluates.
	 * @param evaluation is to be asked exactly once, in the same thread
	 * @return what the evaluation gave
	 */
	Verdict observe(Supplier<Verdict> evaluation);

}

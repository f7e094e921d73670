package io.tierlimit.evaluation;

import java.util.function.Supplier;

import io.tierlimit.Verdict;

/**
 * Watches evaluations: a stage of a web request, a call of an annotated method, a
 * program's permit requests. Times and traces them.
 */
@FunctionalInterface
public interface EvaluationObserver {

	/** Watches nothing. */
	EvaluationObserver NONE = Supplier::get;

	/**
	 * Evaluates.
	 * @param evaluation is to be asked in the same thread; evaluates once, however often
	 * it is asked, and also if it is not asked
	 * @return what the evaluation gave; anything else is ignored, as is an exception
	 */
	Verdict observe(Supplier<Verdict> evaluation);

}

package io.tierlimit.evaluation;

import java.util.function.Supplier;

import io.tierlimit.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * An evaluation that runs at most once. Later calls return the same verdict, or throw the
 * same exception. Not safe for use by several threads.
 */
final class EvaluatedOnce implements Supplier<Verdict> {

	private final Supplier<Verdict> evaluation;

	private @Nullable Verdict verdict;

	private @Nullable RuntimeException exception;

	private @Nullable Error error;

	EvaluatedOnce(Supplier<Verdict> evaluation) {
		this.evaluation = evaluation;
	}

	@Override
	public Verdict get() {
		if (this.exception != null) {
			throw this.exception;
		}
		if (this.error != null) {
			throw this.error;
		}
		Verdict result = this.verdict;
		if (result == null) {
			result = evaluate();
			this.verdict = result;
		}
		return result;
	}

	private Verdict evaluate() {
		try {
			return this.evaluation.get();
		}
		catch (RuntimeException ex) {
			this.exception = ex;
			throw ex;
		}
		catch (Error ex) {
			this.error = ex;
			throw ex;
		}
	}

	/** Whether the evaluation has thrown this exception. */
	boolean hasFailedWith(Throwable thrown) {
		return thrown == this.exception || thrown == this.error;
	}

}

package io.tierlimit.evaluation;

import java.util.function.Supplier;

import io.tierlimit.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * An evaluation that runs at most once. Later calls return the same verdict, or throw the
 * same exception. Not thread-safe.
 */
final class EvaluatedOnce implements Supplier<Verdict> {

	private final Supplier<Verdict> evaluation;

	private @Nullable Verdict verdict;

	/** A {@link RuntimeException} or an {@link Error}. */
	private @Nullable Throwable failure;

	EvaluatedOnce(Supplier<Verdict> evaluation) {
		this.evaluation = evaluation;
	}

	@Override
	public Verdict get() {
		if (this.failure instanceof RuntimeException ex) {
			throw ex;
		}
		if (this.failure instanceof Error ex) {
			throw ex;
		}
		try {
			Verdict result = (this.verdict != null) ? this.verdict : this.evaluation.get();
			this.verdict = result;
			return result;
		}
		catch (RuntimeException | Error ex) {
			this.failure = ex;
			throw ex;
		}
	}

	/** Whether the evaluation has thrown this exception. */
	boolean hasFailedWith(Throwable thrown) {
		return thrown == this.failure;
	}

}

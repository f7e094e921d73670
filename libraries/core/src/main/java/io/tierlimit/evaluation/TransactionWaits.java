package io.tierlimit.evaluation;

import java.util.List;
import java.util.stream.Stream;

import io.tierlimit.Verdict;
import io.tierlimit.option.InFlight;
import org.jspecify.annotations.Nullable;

/**
 * The waits of one transaction: until other requests release permits in use, and until
 * reserved permits are available. The objects in flight are canceled before a wait and
 * begin again after it, because the time of a wait is not measured. Thread-safe. A thread
 * waits without the lock of the transaction, and decides each turn within this lock.
 */
final class TransactionWaits {

	private final RateLimitTransaction transaction;

	private final RateLimitEvaluator evaluator;

	private final InFlightObjects inFlight;

	/** The evaluations that wait until permits in use are released. Immutable. */
	private volatile List<TransactionEvaluation> waiting = List.of();

	TransactionWaits(RateLimitTransaction transaction, RateLimitEvaluator evaluator, InFlightObjects inFlight) {
		this.transaction = transaction;
		this.evaluator = evaluator;
		this.inFlight = inFlight;
	}

	/**
	 * Adds an evaluation that must wait until permits in use are released.
	 * @return its first verdict
	 */
	synchronized Verdict add(TransactionEvaluation evaluation) {
		this.waiting = Stream.concat(this.waiting.stream(), Stream.of(evaluation)).toList();
		return evaluation.first;
	}

	private synchronized void remove(TransactionEvaluation evaluation) {
		this.waiting = this.waiting.stream().filter((each) -> each != evaluation).toList();
	}

	/** Finds an evaluation by its first verdict. Another verdict may be equal to it. */
	@SuppressWarnings("ReferenceEquality")
	private @Nullable TransactionEvaluation find(Verdict verdict) {
		List<TransactionEvaluation> all = this.waiting;
		for (int i = 0; i < all.size(); i++) {
			if (all.get(i).first == verdict) {
				return all.get(i);
			}
		}
		return null;
	}

	/**
	 * Waits for the permits of a verdict.
	 * @return the verdict after the wait
	 */
	Verdict await(Verdict verdict) {
		TransactionEvaluation evaluation = find(verdict);
		Verdict decided = (evaluation != null) ? awaitRelease(evaluation) : verdict;
		if (decided.allowed() && !decided.delay().isZero()) {
			awaitReserved(decided);
		}
		return decided;
	}

	private Verdict awaitRelease(TransactionEvaluation evaluation) {
		List<InFlight> canceled = this.inFlight.cancel();
		Verdict decided = null;
		try {
			decided = evaluation.releaseWait().await(() -> this.transaction.decide(evaluation));
			Verdict last = (decided != null) ? decided : evaluation.releaseWait().rejection();
			if (decided == null) {
				this.transaction.add(evaluation, last);
			}
			this.inFlight.resume(canceled);
			return this.evaluator.observe(() -> last);
		}
		catch (InterruptedException ex) {
			if (evaluation.ofRequest) {
				this.transaction.rollback();
			}
			throw WaitQueue.canceled(ex);
		}
		finally {
			remove(evaluation);
			if (decided == null || !decided.allowed()) {
				this.transaction.expectAgain(evaluation.handler);
			}
		}
	}

	private void awaitReserved(Verdict verdict) {
		List<InFlight> canceled = this.inFlight.cancel();
		this.evaluator.admission()
			.queue()
			.await(verdict, this.transaction::waited, () -> this.transaction.cancel(verdict));
		this.inFlight.resume(canceled);
	}

}

package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Limits by the same evaluator as the filter, without a transaction.
 */
public final class EvaluatingRateLimiter implements RateLimiter {

	private final RateLimitEvaluator evaluator;

	/**
	 * Creates a limiter.
	 * @param evaluator decides
	 */
	public EvaluatingRateLimiter(RateLimitEvaluator evaluator) {
		this.evaluator = evaluator;
	}

	@Override
	public Verdict acquire(PermitRequest... requests) {
		return allowed(tryAcquire(requests));
	}

	@Override
	public Verdict tryAcquire(PermitRequest... requests) {
		return this.evaluator.acquire(dues(requests, CompiledRule::due));
	}

	@Override
	public Reservation reserve(PermitRequest... requests) {
		return new CancelableReservation(this.evaluator,
				allowed(this.evaluator.acquire(dues(requests, CompiledRule::reservation))));
	}

	private static Verdict allowed(Verdict verdict) {
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
		}
		return verdict;
	}

	@Override
	public Verdict peek(PermitRequest... requests) {
		List<ChargeDecision> decisions = this.evaluator.look(dues(requests, CompiledRule::due));
		boolean allowed = decisions.stream().noneMatch(RuleDecision::violated);
		return new Verdict(allowed ? Outcome.ALLOWED : Outcome.REFUSED, List.copyOf(decisions));
	}

	@Override
	public void refund(PermitRequest... requests) {
		this.evaluator.add(dues(requests, CompiledRule::due));
	}

	@Override
	public void refund(Verdict verdict) {
		this.evaluator.refund(verdict);
	}

	@Override
	public boolean reset(PermitRequest... requests) {
		boolean done = true;
		for (Due due : dues(requests, CompiledRule::due)) {
			done &= this.evaluator.reset(due.charge().key());
		}
		return done;
	}

	@Override
	public boolean resetAll(String rule) {
		return this.evaluator.resetAll(rule);
	}

	/** The charges; none for a request on an unlimited plan. */
	private List<Due> dues(PermitRequest[] requests, BiFunction<CompiledRule, PermitRequest, @Nullable Due> terms) {
		List<Due> dues = new ArrayList<>(requests.length);
		for (PermitRequest request : requests) {
			Due due = terms.apply(this.evaluator.compiled(request.rule()), request);
			if (due != null) {
				dues.add(due);
			}
		}
		return dues;
	}

	private static final class CancelableReservation implements Reservation {

		private final RateLimitEvaluator evaluator;

		private final Verdict verdict;

		private final AtomicBoolean canceled = new AtomicBoolean();

		CancelableReservation(RateLimitEvaluator evaluator, Verdict verdict) {
			this.evaluator = evaluator;
			this.verdict = verdict;
		}

		@Override
		public Duration timeToAct() {
			return this.verdict.timeToAct();
		}

		@Override
		public Verdict verdict() {
			return this.verdict;
		}

		@Override
		public void cancel() {
			if (this.canceled.compareAndSet(false, true)) {
				this.evaluator.refund(this.verdict);
			}
		}

	}

}

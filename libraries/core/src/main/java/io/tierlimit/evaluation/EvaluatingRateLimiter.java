package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.tierlimit.EstimatedCost;
import io.tierlimit.Hold;
import io.tierlimit.PermitRequest;
import io.tierlimit.RateLimitExceededException;
import io.tierlimit.RateLimiter;
import io.tierlimit.Reservation;
import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.rule.DerivedFrom;
import io.tierlimit.store.ChargeOptions;
import io.tierlimit.store.StoreFailureFlag;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the permit requests of code, with the same evaluator as the filter but
 * without a transaction.
 *
 * @param rules the current rules
 * @param evaluator decides the requests
 * @param request finds the request that the current thread serves; {@code null} if it
 * serves none
 */
public record EvaluatingRateLimiter(ActiveRules rules, RateLimitEvaluator evaluator,
		Supplier<@Nullable CurrentRequest> request) implements RateLimiter {

	@Override
	public Verdict acquire(PermitRequest... requests) {
		return allowed(tryAcquire(requests));
	}

	@Override
	public Verdict tryAcquire(PermitRequest... requests) {
		return this.evaluator.acquire(consumed(requests, RuleChargeOptions::immediate));
	}

	@Override
	public Verdict await(PermitRequest... requests) {
		return allowed(this.evaluator.await(() -> consumed(requests, RuleChargeOptions::waiting)));
	}

	@Override
	public Reservation reserve(PermitRequest... requests) {
		return new CancelableReservation(this.evaluator,
				allowed(this.evaluator.acquire(consumed(requests, RuleChargeOptions::reserving))), new AtomicBoolean());
	}

	@Override
	public Hold hold(PermitRequest... requests) {
		return new AcquiredHold(this.evaluator, allowed(
				this.evaluator.await(() -> charges(this.rules.current(), requests, RuleChargeOptions::waiting))));
	}

	private static Verdict allowed(Verdict verdict) {
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
		}
		return verdict;
	}

	@Override
	public Verdict peek(PermitRequest... requests) {
		List<ChargeDecision> decisions = this.evaluator
			.peek(charges(this.rules.current(), requests, RuleChargeOptions::immediate));
		boolean allowed = decisions.stream().noneMatch(RuleDecision::violated);
		return new Verdict(allowed ? Outcome.ALLOWED : Outcome.REJECTED, List.copyOf(decisions));
	}

	@Override
	public void refund(PermitRequest... requests) {
		this.evaluator.add(consumed(requests, RuleChargeOptions::immediate));
	}

	@Override
	public void refund(Verdict verdict) {
		this.evaluator.refund(verdict);
	}

	@Override
	public EstimatedCost estimatedCost(String rule) {
		CurrentRequest current = this.request.get();
		RateLimitTransaction transaction = (current != null) ? current.transaction() : null;
		if (transaction == null) {
			throw new IllegalStateException("The current thread serves no request. Outside of requests, "
					+ "acquire the permits in code, and pass the verdict to estimatedCost");
		}
		return isSettled(rule) ? transaction.estimatedCost(rule) : DisabledRateLimiter.NOTHING;
	}

	@Override
	public EstimatedCost estimatedCost(Verdict verdict, String rule) {
		List<ChargeDecision> decisions = (isSettled(rule) && verdict.allowed())
				? verdict.decisions().stream().map(ChargeDecision::of).toList() : List.of();
		List<BucketCost> costs = BucketCost.of(rule, decisions);
		return costs.isEmpty() ? DisabledRateLimiter.NOTHING
				: costs.get(0)
					.report(() -> new ReportedCost(this.evaluator.metering(), () -> BucketCost.of(rule, decisions),
							(actual) -> settle(rule, decisions, actual)));
	}

	private void settle(String rule, List<ChargeDecision> decisions, long actual) {
		this.evaluator.settle(
				BucketCost.of(rule, decisions).stream().flatMap((cost) -> cost.settle(actual).stream()).toList(),
				new StoreFailureFlag());
	}

	/**
	 * Whether a rule is active, and its costs are settled.
	 * @throws IllegalArgumentException if code cannot report costs of the rule
	 */
	private boolean isSettled(String id) {
		CompiledRule rule = this.rules.current().known(id);
		if (rule != null && rule.settlement() == null) {
			throw new IllegalArgumentException("The cost of rule '" + id
					+ "' is final. Set its actual-cost, for example to 'metered', which code reports");
		}
		DerivedFrom origin = (rule != null) ? rule.rule().options().find(DerivedFrom.class) : null;
		if (origin != null) {
			throw new IllegalArgumentException(
					"Rule '" + id + "' has the costs of rule '" + origin.rule() + "'. Report the costs of that rule");
		}
		return rule != null;
	}

	@Override
	public void syncRemaining(PermitRequest request, long remaining, Duration wait) {
		ReportedLevel level = new ReportedLevel(remaining, wait);
		consumed(new PermitRequest[] { request.cost(0) }, RuleChargeOptions::immediate)
			.forEach((ruleCharge) -> this.evaluator.syncRemaining(ruleCharge, level));
	}

	@Override
	public boolean reset(PermitRequest... requests) {
		boolean done = true;
		for (RuleCharge ruleCharge : charges(this.rules.current(), requests, RuleChargeOptions::immediate)) {
			done &= this.evaluator.store().reset(ruleCharge.key(), new StoreFailureFlag());
		}
		return done;
	}

	@Override
	public boolean resetAll(String rule) {
		this.rules.current().known(rule);
		return this.evaluator.store().resetAll(rule);
	}

	/**
	 * The charges of permit requests that consume permits.
	 * @throws IllegalArgumentException if a rule holds permits
	 */
	private List<RuleCharge> consumed(PermitRequest[] requests, Function<RuleChargeOptions, ChargeOptions> purpose) {
		CompiledRules rules = this.rules.current();
		for (PermitRequest request : requests) {
			CompiledRule rule = rules.known(request.rule());
			if (rule != null && rule.holdsPermits()) {
				throw new IllegalArgumentException("Rule '" + request.rule()
						+ "' limits permits in use at the same time, which this operation does not support. "
						+ "Acquire the permits with RateLimiter.hold, and close the returned Hold to release them");
			}
		}
		List<RuleCharge> ruleCharges = charges(rules, requests, purpose);
		// The permits of a derived rule would never be released.
		ruleCharges.removeIf(RuleCharge::holdsPermits);
		return ruleCharges;
	}

	/**
	 * The charges of permit requests. Requests on an unlimited plan, or for a rule that
	 * does not apply now, have no charge.
	 */
	private static List<RuleCharge> charges(CompiledRules rules, PermitRequest[] requests,
			Function<RuleChargeOptions, ChargeOptions> purpose) {
		List<RuleCharge> ruleCharges = new ArrayList<>(requests.length);
		for (PermitRequest request : requests) {
			CompiledRule rule = rules.known(request.rule());
			RuleCharge ruleCharge = (rule != null && rule.options().isActive())
					? PermitCharges.of(rule, request, purpose) : null;
			if (rule != null && ruleCharge != null) {
				rule.add(ruleCharge, ruleCharges);
			}
		}
		return ruleCharges;
	}

	private record AcquiredHold(RateLimitEvaluator evaluator, Verdict verdict) implements Hold {

		@Override
		public void close() {
			this.evaluator.release(this.verdict);
		}

	}

	private record CancelableReservation(RateLimitEvaluator evaluator, Verdict verdict,
			AtomicBoolean canceled) implements Reservation {

		@Override
		public Duration delay() {
			return this.verdict.delay();
		}

		@Override
		public void cancel() {
			if (this.canceled.compareAndSet(false, true)) {
				this.evaluator.refund(this.verdict);
			}
		}

	}

}

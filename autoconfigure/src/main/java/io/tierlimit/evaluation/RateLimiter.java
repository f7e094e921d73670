package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import io.tierlimit.evaluation.Verdict.Outcome;
import io.tierlimit.key.KeyHash;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.store.InMemoryBucketStore;
import io.tierlimit.store.Ticker;

import org.jspecify.annotations.Nullable;

/**
 * Limits by program: in a service, a job, a listener, before a call to a third party.
 * Takes from the same buckets as the filter, by rule id and key. The rule's condition,
 * its own cost and what selects requests don't matter here. Nothing waits:
 * {@link #reserve} tells how long to.
 */
public final class RateLimiter {

	private final RateLimitEvaluator evaluator;

	private final boolean disabled;

	/**
	 * Creates a limiter.
	 * @param evaluator decides
	 */
	public RateLimiter(RateLimitEvaluator evaluator) {
		this(evaluator, false);
	}

	private RateLimiter(RateLimitEvaluator evaluator, boolean disabled) {
		this.evaluator = evaluator;
		this.disabled = disabled;
	}

	/**
	 * Creates a limiter that limits nothing: it allows every claim, whatever its rule,
	 * without a decision of any rule, and has no buckets. It accepts claims of rules that
	 * do not exist.
	 * @return a limiter for applications in which Tierlimit is disabled
	 */
	public static RateLimiter disabled() {
		return new RateLimiter(new RateLimitEvaluator(new RuleSet(List.of()), Map.of(),
				new KeyHash(KeyHashing.NONE, null), new InMemoryBucketStore(Ticker.system(), 1)), true);
	}

	/**
	 * Takes what all claims ask, or nothing.
	 * @param claims what is asked, decided together
	 * @return the verdict that allows it
	 * @throws RateLimitExceededException if a bucket doesn't have enough permits
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public Verdict acquire(Claim... claims) {
		Verdict verdict = tryAcquire(claims);
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
		}
		return verdict;
	}

	/**
	 * Takes what all claims ask, or nothing.
	 * @param claims what is asked, decided together
	 * @return the verdict
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public Verdict tryAcquire(Claim... claims) {
		return this.evaluator.acquire(dues(claims));
	}

	/**
	 * Takes what all claims ask, or reserves it, or takes nothing. A bucket may owe so
	 * much as its rule's {@code max-reserved} says. Does not wait: the caller does, for
	 * {@link Reservation#timeToAct()}, and acts then, or cancels.
	 * @param claims what is asked, decided together; a cost may be above what a bucket
	 * can hold
	 * @return what was reserved
	 * @throws RateLimitExceededException if a bucket would owe too much
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public Reservation reserve(Claim... claims) {
		Verdict verdict = this.evaluator.acquire(dues(claims, CompiledRule::reservation));
		if (!verdict.allowed()) {
			throw new RateLimitExceededException(verdict);
		}
		return new Reservation(this.evaluator, verdict);
	}

	/**
	 * Answers as {@link #tryAcquire} would for each claim alone, and takes nothing.
	 * @param claims what would be asked
	 * @return a verdict that allows if every claim alone would pass
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public Verdict peek(Claim... claims) {
		List<RuleDecision> decisions = this.evaluator.look(dues(claims));
		boolean admitted = decisions.stream().noneMatch(RuleDecision::violated);
		return new Verdict(admitted ? Outcome.ALLOWED : Outcome.REFUSED, decisions);
	}

	/**
	 * Adds permits up to the capacity, whatever was charged. Claims do not tell whether
	 * and where permits were consumed; a verdict does, see {@link #refund(Verdict)}.
	 * @param claims what was consumed, each to be refunded at most once
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public void refund(Claim... claims) {
		this.evaluator.add(dues(claims));
	}

	/**
	 * Refunds the difference that each charge of the verdict still makes, where the
	 * permits were consumed: in the store that instances share or, if that could not be
	 * reached then, in this instance.
	 * @param verdict a verdict of this limiter, to be refunded at most once
	 */
	public void refund(Verdict verdict) {
		this.evaluator.refund(verdict);
	}

	/**
	 * Makes buckets full.
	 * @param claims the buckets; their costs don't matter
	 * @return whether it is done: not if the store can't be reached
	 * @throws IllegalArgumentException if there is no such rule, or a key doesn't have
	 * the parts of its rule
	 */
	public boolean reset(Claim... claims) {
		boolean done = true;
		for (Due due : dues(claims)) {
			done &= this.evaluator.reset(due.charge().key());
		}
		return done;
	}

	/**
	 * Makes all buckets of a rule full, one by one: for operators, not for requests.
	 * @param rule the rule's id
	 * @return whether it is done: not if the store can't be reached, or has so many
	 * buckets that it gave up; those that were met are full
	 * @throws IllegalArgumentException if there is no such rule
	 */
	public boolean resetAll(String rule) {
		return this.disabled || this.evaluator.resetAll(rule);
	}

	private List<Due> dues(Claim... claims) {
		return dues(claims, CompiledRule::due);
	}

	/** What is charged; nothing for a claim on an unlimited plan. */
	private List<Due> dues(Claim[] claims, BiFunction<CompiledRule, Claim, @Nullable Due> terms) {
		if (this.disabled) {
			return List.of();
		}
		List<Due> dues = new ArrayList<>(claims.length);
		for (Claim claim : claims) {
			Due due = terms.apply(this.evaluator.compiled(claim.rule()), claim);
			if (due != null) {
				dues.add(due);
			}
		}
		return dues;
	}

}

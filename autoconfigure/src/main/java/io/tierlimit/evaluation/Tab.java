package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.tierlimit.key.Caller;
import io.tierlimit.rule.Ending;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.Waits;

import org.jspecify.annotations.Nullable;

/**
 * What is decided for one request over all its stages. Merges the verdicts, charges a
 * rule that applies to requests once, and refunds what the request was charged if it is
 * rejected before its handler has run and before anybody has read its body.
 * <p>
 * Safe for use by several threads: the stages of a request follow one another, but
 * whatever serves it may call annotated methods side by side. These calls are decided one
 * after the other, and wait for their permits side by side.
 */
public final class Tab {

	private final RateLimitEvaluator evaluator;

	private Caller caller;

	private final Consumer<Verdict> listener;

	private final MethodRules handler;

	/** The rules of the method that will serve the request as it was forwarded. */
	private MethodRules forwardHandler = MethodRules.NONE;

	private final BooleanSupplier bodyRead;

	private final ReentrantLock lock = new ReentrantLock();

	private boolean handlerRan;

	private final Waits waits = new Waits();

	private final ConsumedPermits consumed = new ConsumedPermits();

	private final OpenCharges open = new OpenCharges();

	private Verdict charged = Verdict.UNLIMITED;

	private Verdict verdict = Verdict.UNLIMITED;

	/** What listeners are yet to be told. */
	private Verdict untold = Verdict.UNLIMITED;

	private boolean told;

	private boolean holdsLater;

	private boolean ended;

	private @Nullable Turn turn;

	/** How long a turn is away that this tab does not await. */
	private Duration wait = Duration.ZERO;

	/**
	 * Opens a tab.
	 * @param evaluator decides
	 * @param caller who asks
	 * @param handler the rules of the method that will serve the request, or
	 * {@link MethodRules#NONE}
	 * @param bodyRead whether anybody has read the body of the request by now: a
	 * rejection refunds nothing then
	 * @param listener is told all that was decided so far, whenever a stage allowed it
	 */
	public Tab(RateLimitEvaluator evaluator, Caller caller, MethodRules handler, BooleanSupplier bodyRead,
			Consumer<Verdict> listener) {
		this.evaluator = evaluator;
		this.caller = caller;
		this.handler = handler;
		this.handlerRan = handler.isEmpty();
		this.bodyRead = bodyRead;
		this.listener = listener;
	}

	/**
	 * Goes on with a caller of whom more is known by now.
	 * @param caller who asks
	 */
	public void goOnWith(Caller caller) {
		locked(() -> this.caller = caller);
	}

	/**
	 * Goes on with a request that was forwarded to another target.
	 * @param caller who asks there
	 * @param handler the rules of the method that will serve the request there
	 */
	public void forward(Caller caller, MethodRules handler) {
		locked(() -> {
			this.caller = caller;
			this.forwardHandler = handler;
		});
	}

	/**
	 * Decides a stage of the request itself, together with those rules of its handler
	 * that need no argument. A rejection refunds what earlier stages charged, unless the
	 * body has been read.
	 * @param matched the rules of that stage that apply to the request
	 * @param stage the stage
	 * @return the verdict
	 */
	public Verdict evaluate(List<MatchedRule> matched, Stage stage) {
		Verdict decided = locked(
				() -> charge(this.handler.join(matched, stage), this.caller, this.turn != null, false));
		Verdict told = hold(decided, this.holdsLater, true);
		return locked(() -> {
			settle(decided, told);
			note(decided);
			if (decided.allowed()) {
				this.charged = this.charged.and(decided);
			}
			else if (!this.bodyRead.getAsBoolean()) {
				giveBack();
			}
			return decided;
		});
	}

	/**
	 * Decides a call of a method, except for what this request was charged already.
	 * @param rules the method's rules
	 * @param arguments the method's arguments
	 * @return the verdict on the call
	 */
	public Verdict evaluate(MethodRules rules, @Nullable Object[] arguments) {
		boolean serves = locked(() -> rules == this.handler && !this.handlerRan);
		Verdict decided = locked(() -> {
			List<MatchedRule> due = new ArrayList<>(serves ? rules.atCall() : rules.all());
			boolean servesForward = rules == this.forwardHandler && !rules.isEmpty();
			this.forwardHandler = servesForward ? MethodRules.NONE : this.forwardHandler;
			if (!servesForward) {
				due.removeIf((match) -> match.rule().appliesToRequests() && isCharged(match.rule().rule()));
			}
			return charge(due, rules.caller(this.caller, arguments), false, servesForward);
		});
		Verdict told = hold(decided, false, serves);
		locked(() -> {
			settle(decided, told);
			if (serves) {
				note(decided);
				close();
			}
		});
		if (!serves) {
			this.evaluator.tell(decided, this.caller);
		}
		return decided;
	}

	/**
	 * Decides what a forwarded request is charged for its new target. Code before it may
	 * have done work, so earlier charges stand.
	 * @param matched the rules that apply to the forwarded request
	 * @param stage what can be decided by now
	 * @return the verdict on what is added: the charges of buckets from which the request
	 * has not consumed yet, and the difference where a rule costs more now
	 */
	public Verdict evaluateForward(List<MatchedRule> matched, Stage stage) {
		Verdict decided = locked(() -> {
			close();
			List<MatchedRule> due = new ArrayList<>(matched);
			due.removeIf((match) -> !stage.decides(match.rule()));
			return charge(due, this.caller, false, true);
		});
		Verdict told = hold(decided, false, false);
		return locked(() -> {
			settle(decided, told);
			note(decided);
			return decided;
		});
	}

	/** Has rules decided, and counts what was consumed. */
	private Verdict charge(List<MatchedRule> due, Caller caller, boolean hasSeat, boolean onlyMissing) {
		Verdict decided = this.evaluator.evaluate(due, caller, this.waits, hasSeat, this.consumed, onlyMissing);
		if (decided.allowed()) {
			this.open.add(decided);
		}
		return decided;
	}

	/**
	 * Holds who is allowed to go on later, here or in the end. Where that is interrupted
	 * before a handler has run, nothing stands that the request was charged.
	 * @return the verdict as of the moment when the request goes on
	 */
	private Verdict hold(Verdict decided, boolean later, boolean beforeHandler) {
		Duration timeToAct = decided.timeToAct();
		if (timeToAct.isZero()) {
			return decided;
		}
		if (later) {
			locked(() -> awaitLater(timeToAct));
			return decided;
		}
		try {
			this.evaluator.turn(timeToAct).await();
		}
		catch (InterruptedException ex) {
			locked(() -> {
				undo(decided);
				if (beforeHandler) {
					giveBack();
				}
			});
			Thread.currentThread().interrupt();
			CancellationException canceled = new CancellationException("Interrupted while held by a rate limit");
			canceled.initCause(ex);
			throw canceled;
		}
		locked(() -> this.verdict = this.verdict.after(timeToAct));
		return decided.after(timeToAct);
	}

	private void awaitLater(Duration timeToAct) {
		this.wait = (timeToAct.compareTo(this.wait) > 0) ? timeToAct : this.wait;
		if (this.turn != null) {
			this.turn.extend(timeToAct);
		}
		else {
			this.turn = this.evaluator.turn(timeToAct);
		}
	}

	/**
	 * Says where the request is held if it has to be: by whoever has opened the tab,
	 * before the handler runs, or by this tab at every stage.
	 * @param holdsLater whether {@link #takeTurn} will be called, or {@link #close}
	 */
	public void holdLater(boolean holdsLater) {
		this.holdsLater = holdsLater;
	}

	/**
	 * The turn of a request that has to wait. From now on it is the caller's to await or
	 * to leave, and stages hold by themselves.
	 * @return the turn, or {@code null} if the request may go on
	 */
	public @Nullable Turn takeTurn() {
		Turn taken = this.turn;
		this.turn = null;
		this.holdsLater = false;
		return taken;
	}

	/**
	 * Tells the listener how a request stands whose turn was taken, and has come.
	 */
	public void turnHasCome() {
		if (!this.wait.isZero()) {
			this.verdict = this.verdict.after(this.wait);
			this.wait = Duration.ZERO;
			this.listener.accept(this.verdict);
		}
	}

	private void note(Verdict decided) {
		if (this.told) {
			this.evaluator.tell(decided, this.caller);
		}
		else {
			this.untold = this.untold.and(decided);
		}
	}

	/**
	 * Tells listeners all that was decided for the request itself. Done once: what is
	 * decided later is told at once.
	 */
	public void tell() {
		if (!this.told) {
			this.told = true;
			this.evaluator.tell(this.untold, this.caller);
		}
	}

	/**
	 * Whether a rule has charged the request.
	 * @param rule the rule
	 * @return whether it has, and that was not refunded
	 */
	public boolean isCharged(Rule rule) {
		return locked(() -> this.consumed.isCharged(rule));
	}

	private void settle(Verdict decided, Verdict told) {
		add(told);
		if (decided.allowed() && !this.ended) {
			this.listener.accept(this.verdict);
		}
	}

	/**
	 * Whether nothing but the handler's own annotations rejected the request.
	 * @return whether the rejection is what a call of the handler would have thrown
	 */
	public boolean isRefusedByHandler() {
		List<RuleDecision> violated = this.verdict.violated();
		return !violated.isEmpty() && violated.stream().allMatch((decision) -> this.handler.holds(decision.rule()));
	}

	/**
	 * Notes what was decided otherwise for this request.
	 * @param decided a verdict
	 * @return all that was decided so far
	 */
	public Verdict add(Verdict decided) {
		return locked(() -> this.verdict = this.verdict.and(decided));
	}

	/**
	 * Settles what the request itself was charged: that is refunded if the request was
	 * rejected, its handler has not run and its body has not been read, and stands
	 * otherwise. Done once.
	 */
	public void close() {
		locked(() -> {
			if (!this.handlerRan && !this.verdict.allowed() && !this.bodyRead.getAsBoolean()) {
				giveBack();
			}
			this.handlerRan = true;
			leaveTurn();
		});
	}

	private void leaveTurn() {
		Turn left = takeTurn();
		if (left != null) {
			left.leave();
		}
	}

	/**
	 * Refunds what the request itself was charged so far. Done once.
	 * @return what was refunded
	 */
	public Verdict giveBack() {
		return locked(() -> {
			Verdict refunded = this.charged;
			leaveTurn();
			giveBack((rule) -> true);
			return refunded;
		});
	}

	/**
	 * Charges again what was refunded, as far as the buckets have it.
	 * @param refunded what {@link #giveBack()} has returned
	 */
	public void chargeAgain(Verdict refunded) {
		locked(() -> this.evaluator.chargeAgain(refunded, this.waits));
	}

	/**
	 * Refunds the charges of some rules, because the request turned out not to be of the
	 * kind that they limit. Done once.
	 * @param rules tells whose charges are refunded
	 */
	public void giveBack(Predicate<Rule> rules) {
		locked(() -> {
			Verdict taken = this.charged.only(rules);
			this.charged = this.charged.only(rules.negate());
			undo(taken);
		});
	}

	private void undo(Verdict taken) {
		this.open.remove(taken);
		this.evaluator.giveBack(taken, this.waits);
		taken.decisions().forEach((decision) -> this.consumed.remove(decision.rule()));
	}

	/**
	 * Settles what rules charged to which it matters how the request ended: refunds what
	 * is not to be charged, and resets buckets. Done once; what is charged later stands.
	 * @param ending how the request has ended
	 */
	public void end(Ending ending) {
		locked(() -> {
			this.evaluator.settle(this.open.settle(ending), this.waits);
			this.charged = Verdict.UNLIMITED;
			this.ended = true;
		});
	}

	/**
	 * Whether the request has ended: its response may serve another request by now.
	 * @return whether {@link #end} was called
	 */
	public boolean hasEnded() {
		return locked(() -> this.ended);
	}

	private void locked(Runnable action) {
		this.lock.lock();
		try {
			action.run();
		}
		finally {
			this.lock.unlock();
		}
	}

	private <R> R locked(Supplier<R> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

}

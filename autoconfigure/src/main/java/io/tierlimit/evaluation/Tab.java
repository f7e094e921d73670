package io.tierlimit.evaluation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

import io.tierlimit.key.Caller;
import io.tierlimit.rule.Ending;
import io.tierlimit.store.Waits;

import org.jspecify.annotations.Nullable;

/**
 * What is decided for one request over all its stages. Merges the verdicts, charges a
 * rule that applies to requests once, and gives back what the request was charged if it
 * is refused before its handler has run.
 * <p>
 * Used by one thread at a time.
 */
public final class Tab {

	private final RateLimitEvaluator evaluator;

	private Caller caller;

	private final Consumer<Verdict> listener;

	private final MethodRules handler;

	private boolean handlerRan;

	private final Waits waits = new Waits();

	private final Set<String> counted = new HashSet<>();

	private final OpenCharges open = new OpenCharges();

	private Verdict charged = Verdict.UNLIMITED;

	private Verdict verdict = Verdict.UNLIMITED;

	/** What listeners are yet to be told. */
	private Verdict untold = Verdict.UNLIMITED;

	private boolean told;

	private boolean holdsLater;

	private @Nullable Turn turn;

	/** How long a turn is away that this tab does not await. */
	private Duration wait = Duration.ZERO;

	/**
	 * Opens a tab.
	 * @param evaluator decides
	 * @param caller who asks
	 * @param handler the rules of the method that will serve the request, or
	 * {@link MethodRules#NONE}
	 * @param listener is told all that was decided so far, whenever a stage allowed it
	 */
	public Tab(RateLimitEvaluator evaluator, Caller caller, MethodRules handler, Consumer<Verdict> listener) {
		this.evaluator = evaluator;
		this.caller = caller;
		this.handler = handler;
		this.handlerRan = handler.isEmpty();
		this.listener = listener;
	}

	/**
	 * Goes on with a caller of whom more is known by now.
	 * @param caller who asks
	 */
	public void goOnWith(Caller caller) {
		this.caller = caller;
	}

	/**
	 * Decides a stage of the request itself, together with those rules of its handler
	 * that need no argument. A refusal gives back what earlier stages charged.
	 * @param matched the rules of that stage that select the request
	 * @param stage the stage
	 * @return the verdict
	 */
	public Verdict evaluate(List<MatchedRule> matched, Stage stage) {
		Verdict decided = this.evaluator.evaluate(this.handler.join(matched, stage), this.caller, this.waits,
				this.turn != null);
		settle(decided, hold(decided, this.holdsLater, true));
		note(decided);
		if (decided.allowed()) {
			this.charged = this.charged.and(decided);
		}
		else {
			giveBack();
		}
		return decided;
	}

	/**
	 * Decides a call of a method, but for what this request was charged already.
	 * @param rules the method's rules
	 * @param arguments the method's arguments
	 * @return the verdict on the call
	 */
	public Verdict evaluate(MethodRules rules, @Nullable Object[] arguments) {
		boolean serves = rules == this.handler && !this.handlerRan;
		List<MatchedRule> due = new ArrayList<>(serves ? rules.atCall() : rules.all());
		due.removeIf((held) -> held.rule().appliesToRequests() && isCounted(held.rule()));
		Verdict decided = this.evaluator.evaluate(due, rules.caller(this.caller, arguments), this.waits, false);
		settle(decided, hold(decided, false, serves));
		if (serves) {
			note(decided);
			close();
		}
		else {
			this.evaluator.tell(decided, this.caller);
		}
		return decided;
	}

	/**
	 * Decides what a request is held to besides where it was forwarded to. Whoever
	 * forwarded it may have worked for it: what it was charged before stands.
	 * @param matched the rules that select the forwarded request
	 * @param stage what can be decided by now
	 * @return the verdict on what is added: rules that were not charged yet, and those
	 * that have a bucket for each endpoint
	 */
	public Verdict evaluateForward(List<MatchedRule> matched, Stage stage) {
		close();
		List<MatchedRule> due = new ArrayList<>(matched);
		due.removeIf((match) -> !stage.decides(match.rule())
				|| (isCounted(match.rule()) && !match.rule().isKeyedByEndpoint()));
		Verdict decided = this.evaluator.evaluate(due, this.caller, this.waits, false);
		settle(decided, hold(decided, false, false));
		note(decided);
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
			this.wait = (timeToAct.compareTo(this.wait) > 0) ? timeToAct : this.wait;
		}
		if (this.turn != null && later) {
			this.turn.extend(timeToAct);
			return decided;
		}
		Turn next = this.evaluator.turn(timeToAct);
		if (later) {
			this.turn = next;
			return decided;
		}
		try {
			next.await();
		}
		catch (InterruptedException ex) {
			this.evaluator.giveBack(decided, this.waits);
			if (beforeHandler) {
				giveBack();
			}
			Thread.currentThread().interrupt();
			CancellationException canceled = new CancellationException("Interrupted while held by a rate limit");
			canceled.initCause(ex);
			throw canceled;
		}
		this.verdict = this.verdict.after(timeToAct);
		return decided.after(timeToAct);
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

	private boolean isCounted(CompiledRule rule) {
		return this.counted.contains(rule.rule().id());
	}

	private void settle(Verdict decided, Verdict told) {
		add(told);
		if (decided.allowed()) {
			decided.decisions().forEach((decision) -> this.counted.add(decision.rule().id()));
			decided.unasked().forEach((unasked) -> this.counted.add(unasked.rule().id()));
			this.open.add(decided);
			this.listener.accept(this.verdict);
		}
	}

	/**
	 * Whether nothing but the handler's own annotations refused the request.
	 * @return whether the refusal is what a call of the handler would have thrown
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
		this.verdict = this.verdict.and(decided);
		return this.verdict;
	}

	/**
	 * Settles what the request itself was charged: that is given back if the request was
	 * refused and its handler has not run, and stands otherwise. Done once.
	 */
	public void close() {
		if (!this.handlerRan && !this.verdict.allowed()) {
			giveBack();
		}
		this.handlerRan = true;
		leaveTurn();
	}

	private void leaveTurn() {
		Turn left = takeTurn();
		if (left != null) {
			left.leave();
		}
	}

	/**
	 * Gives back what the request itself was charged so far. Done once.
	 */
	public void giveBack() {
		Verdict taken = this.charged;
		this.charged = Verdict.UNLIMITED;
		leaveTurn();
		this.open.remove(taken);
		this.evaluator.giveBack(taken, this.waits);
		taken.decisions().forEach((decision) -> this.counted.remove(decision.rule().id()));
	}

	/**
	 * Settles what rules charged to which it matters how the request ended: gives back
	 * what is not to be charged, and makes buckets full again. Done once; what is charged
	 * later stands.
	 * @param ending how the request has ended
	 */
	public void end(Ending ending) {
		this.evaluator.settle(this.open.settle(ending), this.waits);
		this.charged = Verdict.UNLIMITED;
	}

}

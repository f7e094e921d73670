package io.tierlimit.explorer.acquisition;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.tierlimit.explorer.Model;
import io.tierlimit.explorer.acquisition.Acquisitions.Slot;
import io.tierlimit.explorer.acquisition.Action.Kind;
import io.tierlimit.explorer.acquisition.Call.Operation;
import io.tierlimit.explorer.acquisition.Call.Progress;
import io.tierlimit.explorer.acquisition.Request.Possession;
import io.tierlimit.explorer.acquisition.Request.Late;
import io.tierlimit.explorer.acquisition.Request.Phase;
import org.jspecify.annotations.Nullable;

/**
 * Requests that acquire one permit of each of two slots, all or nothing, as
 * {@code MultiSlotAcquisition} does. The bucket of each slot has as many permits at first
 * as it can have.
 * <p>
 * A fault is a crash of an instance, or a request that does not get a reply in time. Its
 * call may be executed before, later or never.
 */
public final class AcquisitionModel implements Model<Acquisitions, Action> {

	private static final int SLOTS = 2;

	private static final int MAX_RETRIES = 3;

	private final int requests;

	private final int capacity;

	private final int ticks;

	private final int faults;

	private final int most;

	private final Set<Rule> rules;

	/**
	 * Creates a model of the protocol.
	 * @param requests the number of requests
	 * @param capacity the permits of each bucket
	 * @param ticks the permits that each bucket earns in the meantime
	 * @param faults the maximum number of faults
	 */
	public AcquisitionModel(int requests, int capacity, int ticks, int faults) {
		this(requests, capacity, ticks, faults, capacity + ticks, EnumSet.allOf(Rule.class));
	}

	private AcquisitionModel(int requests, int capacity, int ticks, int faults, int most, Set<Rule> rules) {
		this.requests = requests;
		this.capacity = capacity;
		this.ticks = ticks;
		this.faults = faults;
		this.most = most;
		this.rules = rules;
	}

	/**
	 * Drops a rule of the protocol.
	 * @param rule the rule
	 * @return the model without the rule
	 */
	public AcquisitionModel without(Rule rule) {
		Set<Rule> others = EnumSet.copyOf(this.rules);
		others.remove(rule);
		return new AcquisitionModel(this.requests, this.capacity, this.ticks, this.faults, this.most, others);
	}

	/**
	 * Requires a stricter bound than the protocol promises.
	 * @param fewer how many requests fewer may be admitted
	 * @return the model with this bound
	 */
	public AcquisitionModel tighter(int fewer) {
		return new AcquisitionModel(this.requests, this.capacity, this.ticks, this.faults, this.most - fewer,
				this.rules);
	}

	@Override
	public Acquisitions initial() {
		return new Acquisitions(Request.same(new Slot(this.capacity, 0), SLOTS),
				Request.same(Request.of(SLOTS), this.requests), this.ticks, this.faults);
	}

	@Override
	public List<Step<Acquisitions, Action>> steps(Acquisitions state) {
		List<Step<Acquisitions, Action>> steps = new ArrayList<>();
		boolean running = false;
		for (int i = 0; i < this.requests; i++) {
			Request request = state.requests().get(i);
			if (!request.phase().isLast()) {
				running = true;
				addStepsOf(i, request, state, steps);
			}
			for (int k = 0; k < request.late().size(); k++) {
				Late call = request.late().get(k);
				List<Late> others = new ArrayList<>(request.late());
				others.remove(k);
				steps.add(new Step<>(new Action(Kind.EXECUTE_LATE, i, call.slot()),
						execute(state.request(i, request.late(others)), i, call.slot(), call.operation())));
			}
		}
		if (running && state.ticks() > 0) {
			steps.add(new Step<>(Action.TICK, state.tick(this.capacity)));
		}
		return steps;
	}

	private void addStepsOf(int index, Request request, Acquisitions state, List<Step<Acquisitions, Action>> steps) {
		for (int slot = 0; slot < SLOTS; slot++) {
			Call call = request.calls().get(slot);
			if (call.progress() == Progress.SENT) {
				Call executed = call.executed(state.left(slot));
				steps.add(new Step<>(new Action(Kind.EXECUTE, index, slot),
						execute(state.request(index, request.call(slot, executed)), index, slot, call.operation())));
			}
			if (call.progress() == Progress.EXECUTED) {
				steps.add(new Step<>(new Action(Kind.SEE, index, slot),
						state.request(index, next(request.call(slot, call.as(Progress.SEEN))))));
			}
			if (call.isOpen() && state.faults() > 0) {
				steps.add(new Step<>(new Action(Kind.GIVE_UP, index, slot),
						state.fault().request(index, next(request.abandon(slot)))));
			}
		}
		if (state.faults() > 0) {
			Request crashed = request;
			for (int slot = 0; slot < SLOTS; slot++) {
				crashed = crashed.calls().get(slot).isOpen() ? crashed.abandon(slot) : crashed;
			}
			steps.add(new Step<>(new Action(Kind.CRASH, index, -1),
					state.fault().request(index, crashed.phase(Phase.CRASHED))));
		}
	}

	private Acquisitions execute(Acquisitions state, int index, int slot, Operation operation) {
		return state.execute(index, slot, operation, this.capacity, has(Rule.UNDO_ONCE),
				has(Rule.UNDO_WHAT_IS_MISSING));
	}

	private boolean has(Rule rule) {
		return this.rules.contains(rule);
	}

	/** What a request does after it has all replies, or has given up on them. */
	private Request next(Request request) {
		if (request.waits()) {
			return request;
		}
		return switch (request.phase()) {
			case PARALLEL, IN_ORDER -> decide(confirm(request));
			case UNDOING -> afterUndo(request);
			case LOOKING -> afterLook(request);
			default -> request;
		};
	}

	private static Request confirm(Request request) {
		Request confirmed = request;
		for (int slot = 0; slot < SLOTS; slot++) {
			Call call = request.calls().get(slot);
			if (call.operation() == Operation.ACQUIRE && call.progress() == Progress.SEEN && call.allowed()) {
				confirmed = confirmed.acquired(slot, true);
			}
		}
		return confirmed;
	}

	private Request decide(Request request) {
		if (request.calls().stream().anyMatch((call) -> call.progress() == Progress.GIVEN_UP)) {
			Request undone = has(Rule.UNDO_AFTER_TIMEOUT) ? sendUndo(request) : request;
			// A request that no longer waits does not wait for refunds either.
			for (int slot = 0; slot < SLOTS; slot++) {
				undone = undone.calls().get(slot).isOpen() ? undone.abandon(slot) : undone;
			}
			return undone.phase(Phase.FAILED);
		}
		if (!request.acquired().contains(false)) {
			return request.phase(Phase.ADMITTED);
		}
		if (request.phase() == Phase.IN_ORDER && request.acquired().get(0) && !isRejectedBy(request, 1)) {
			return request.call(1, Call.of(Operation.ACQUIRE));
		}
		if (!has(Rule.UNDO_BEFORE_LOOKING) && mayHaveBlocked(request)) {
			return look(request);
		}
		return has(Rule.UNDO_AFTER_REJECTION) ? undo(request) : afterUndo(request);
	}

	private static boolean isRejectedBy(Request request, int slot) {
		Call call = request.calls().get(slot);
		return call.operation() == Operation.ACQUIRE && !call.allowed();
	}

	/** Whether the request has acquired the last permit of a slot. */
	private static boolean mayHaveBlocked(Request request) {
		for (int slot = 0; slot < SLOTS; slot++) {
			if (request.acquired().get(slot) && request.calls().get(slot).last()) {
				return true;
			}
		}
		return false;
	}

	private Request sendUndo(Request request) {
		Request undone = request;
		for (int slot = 0; slot < SLOTS; slot++) {
			if (request.acquired().get(slot)) {
				undone = undone.acquired(slot, false)
					.call(slot, new Call(Operation.UNDO, Progress.SENT, true, request.calls().get(slot).last()));
			}
		}
		return undone;
	}

	private Request undo(Request request) {
		if (!request.acquired().contains(true)) {
			return request.phase(Phase.REJECTED);
		}
		return sendUndo(request).phase(Phase.UNDOING);
	}

	private Request afterUndo(Request request) {
		boolean failed = request.calls().stream().anyMatch((call) -> call.progress() == Progress.GIVEN_UP);
		boolean blocked = request.calls()
			.stream()
			.anyMatch((call) -> call.operation() == Operation.UNDO && call.last());
		if (failed || !blocked || !has(Rule.RETRY) || request.retries() == MAX_RETRIES) {
			return request.phase(Phase.REJECTED);
		}
		return has(Rule.UNDO_BEFORE_LOOKING) ? look(request) : retryIf(true, request);
	}

	private static Request look(Request request) {
		Request looking = request.phase(Phase.LOOKING);
		for (int slot = 0; slot < SLOTS; slot++) {
			if (isRejectedBy(request, slot)) {
				looking = looking.call(slot, Call.of(Operation.LOOK));
			}
		}
		return looking;
	}

	private Request afterLook(Request request) {
		boolean useful = request.calls()
			.stream()
			.filter((call) -> call.operation() == Operation.LOOK)
			.allMatch((call) -> call.progress() == Progress.SEEN && call.allowed());
		if (!has(Rule.UNDO_BEFORE_LOOKING)) {
			// The result decides whether the request tries again after its refund.
			return useful ? undo(request) : undo(request.giveUpRetries(MAX_RETRIES));
		}
		return retryIf(useful, request);
	}

	private Request retryIf(boolean useful, Request request) {
		if (!useful) {
			return request.phase(Phase.REJECTED);
		}
		Request again = request.retry().call(0, Call.of(Operation.ACQUIRE));
		return has(Rule.RETRY_IN_ORDER) ? again.call(1, Call.NONE).phase(Phase.IN_ORDER)
				: again.call(1, Call.of(Operation.ACQUIRE)).phase(Phase.PARALLEL);
	}

	@Override
	public @Nullable String violation(Acquisitions state, boolean last) {
		if (state.admitted() > this.most) {
			return state.admitted() + " requests are admitted, more than " + this.most;
		}
		for (int slot = 0; slot < SLOTS; slot++) {
			Slot bucket = state.slots().get(slot);
			if (bucket.left() + state.taken(slot) != this.capacity + bucket.earned()) {
				return "slot " + slot + " has " + bucket.left() + " permits, but " + state.taken(slot) + " of "
						+ this.capacity + " and " + bucket.earned() + " are taken";
			}
		}
		return last ? violationAtTheEnd(state) : null;
	}

	private @Nullable String violationAtTheEnd(Acquisitions state) {
		for (Request request : state.requests()) {
			for (int slot = 0; slot < SLOTS; slot++) {
				if (request.phase() != Phase.ADMITTED && request.possessions().get(slot) != Possession.NONE
						&& !request.unknown().get(slot) && request.phase() != Phase.CRASHED) {
					return "a request that is " + request.phase() + " keeps a permit of slot " + slot;
				}
				if (request.phase() == Phase.ADMITTED && request.possessions().get(slot) == Possession.NONE) {
					return "an admitted request has no permit of slot " + slot;
				}
			}
		}
		boolean undisturbed = state.faults() == this.faults;
		return (undisturbed && state.admitted() == 0) ? "no request is admitted" : null;
	}

}

package io.tierlimit.explorer.holder;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.tierlimit.explorer.Model;
import io.tierlimit.explorer.holder.HolderAction.Kind;
import io.tierlimit.explorer.holder.HoldingRequest.Call;
import io.tierlimit.explorer.holder.HoldingRequest.Loss;
import io.tierlimit.explorer.holder.HoldingRequest.Phase;
import org.jspecify.annotations.Nullable;

/**
 * Requests that each hold one permit of a bucket in Redis until they end, as
 * {@code HolderRenewal} does. The requests belong to two instances in turn.
 * <p>
 * A fault is a crash of an instance, a request that does not get a reply in time, a
 * renewal that arrives late, or time that passes although a renewal is due. A call
 * without a reply may be executed before, later or never; the calls of one request are
 * executed in their order.
 */
public final class HolderModel implements Model<HolderState, HolderAction> {

	private static final int INSTANCES = 2;

	/** The ticks until a holder ends that is not renewed. */
	private static final int LIFE = 2;

	private static final int MAX_DURATION = 3;

	private final int requests;

	private final int limit;

	private final int most;

	private final int faults;

	private final Set<HolderRule> rules;

	/**
	 * Creates a model of the protocol.
	 * @param requests the number of requests
	 * @param limit the permits that can be in use at the same time
	 * @param faults the maximum number of faults
	 */
	public HolderModel(int requests, int limit, int faults) {
		this(requests, limit, limit, faults, EnumSet.allOf(HolderRule.class));
	}

	private HolderModel(int requests, int limit, int most, int faults, Set<HolderRule> rules) {
		this.requests = requests;
		this.limit = limit;
		this.most = most;
		this.faults = faults;
		this.rules = rules;
	}

	/**
	 * Drops a rule of the protocol.
	 * @param rule the rule
	 * @return the model without the rule
	 */
	public HolderModel without(HolderRule rule) {
		Set<HolderRule> others = EnumSet.copyOf(this.rules);
		others.remove(rule);
		return new HolderModel(this.requests, this.limit, this.most, this.faults, others);
	}

	/**
	 * Requires a stricter bound than the protocol promises.
	 * @param fewer how many permits fewer may be in use
	 * @return the model with this bound
	 */
	public HolderModel tighter(int fewer) {
		return new HolderModel(this.requests, this.limit, this.most - fewer, this.faults, this.rules);
	}

	private boolean has(HolderRule rule) {
		return this.rules.contains(rule);
	}

	@Override
	public HolderState initial() {
		return new HolderState(List.of(),
				IntStream.range(0, this.requests).mapToObj((i) -> HoldingRequest.NEW).toList(),
				IntStream.range(0, INSTANCES).mapToObj((i) -> List.<Integer>of()).toList(), 1, this.faults);
	}

	@Override
	public List<Step<HolderState, HolderAction>> steps(HolderState state) {
		List<Step<HolderState, HolderAction>> steps = new ArrayList<>();
		for (int i = 0; i < this.requests; i++) {
			addStepsOf(i, state, steps);
		}
		for (int i = 0; i < INSTANCES; i++) {
			addStepsOfInstance(i, state, steps);
		}
		if (state.changes() > 0) {
			add(Kind.CHANGE, -1, state, state.change(), steps);
		}
		if (!isRenewalDue(state)) {
			add(Kind.TICK, -1, state, tick(state, Loss.NO_FAULT), steps);
		}
		else if (state.faults() > 0) {
			add(Kind.TICK_TOO_EARLY, -1, state, tick(state.fault(), Loss.FAULT), steps);
		}
		return steps;
	}

	private static void add(Kind kind, int index, HolderState state, HolderState next,
			List<Step<HolderState, HolderAction>> steps) {
		if (!next.equals(state)) {
			steps.add(new Step<>(new HolderAction(kind, index), next));
		}
	}

	private void addStepsOf(int index, HolderState state, List<Step<HolderState, HolderAction>> steps) {
		HoldingRequest request = state.requests().get(index);
		switch (request.phase()) {
			case ACQUIRING -> {
				add(Kind.EXECUTE, index, state, acquire(index, state), steps);
				addTimeout(index, state, (given) -> abandon(given.later(Call.ACQUIRE)), steps);
			}
			case ACQUIRED -> {
				add(Kind.SEE, index, state, state.request(index, (seen) -> seen.phase(Phase.HOLDING).known(true)),
						steps);
				addTimeout(index, state, this::abandon, steps);
			}
			case UNAVAILABLE ->
				add(Kind.SEE, index, state, state.request(index, (seen) -> seen.phase(Phase.REJECTED)), steps);
			case HOLDING -> add(Kind.COMPLETE, index, state,
					state.request(index, (ended) -> ended.phase(Phase.RELEASING).known(false)), steps);
			case RELEASING -> {
				add(Kind.EXECUTE, index, state,
						release(index, state).request(index, (released) -> released.phase(Phase.RELEASED)), steps);
				addTimeout(index, state, (given) -> given.later(Call.RELEASE).phase(Phase.UNKNOWN), steps);
			}
			default -> {
			}
		}
		if (!request.late().isEmpty()) {
			HolderState without = state.request(index, HoldingRequest::withoutFirst);
			add(Kind.EXECUTE_LATE, index, state,
					(request.late().get(0) == Call.ACQUIRE) ? acquireLate(index, without) : release(index, without),
					steps);
			add(Kind.LOSE, index, state, without.request(index, (lost) -> lost.phase(Phase.UNKNOWN)), steps);
		}
	}

	private static void addTimeout(int index, HolderState state, UnaryOperator<HoldingRequest> change,
			List<Step<HolderState, HolderAction>> steps) {
		if (state.faults() > 0) {
			add(Kind.GIVE_UP, index, state, state.fault().request(index, change), steps);
		}
	}

	private HoldingRequest abandon(HoldingRequest request) {
		HoldingRequest abandoned = request.phase(Phase.UNDECIDED).known(!has(HolderRule.DROP_AFTER_TIMEOUT));
		return has(HolderRule.RELEASE_AFTER_TIMEOUT) ? abandoned.later(Call.RELEASE) : abandoned;
	}

	private HolderState acquire(int index, HolderState state) {
		boolean enough = state.holders().size() < this.limit;
		return (enough ? withHolder(index, state) : state).request(index,
				(executed) -> executed.phase(enough ? Phase.ACQUIRED : Phase.UNAVAILABLE));
	}

	private HolderState acquireLate(int index, HolderState state) {
		return (state.holders().size() >= this.limit) ? state
				: withHolder(index, state).request(index, HoldingRequest::endAgain);
	}

	private static HolderState withHolder(int index, HolderState state) {
		List<Holder> more = new ArrayList<>(state.holders());
		more.add(new Holder(index, LIFE, 0));
		return state.holders(more);
	}

	private HolderState release(int index, HolderState state) {
		if (state.requests().get(index).changed() && !has(HolderRule.RELEASE_WHAT_WAS_ACQUIRED)) {
			return state;
		}
		List<Holder> fewer = new ArrayList<>(state.holders());
		if (has(HolderRule.RELEASE_OWN)) {
			fewer.removeIf((holder) -> holder.request() == index);
		}
		else if (!fewer.isEmpty()) {
			fewer.remove(0);
		}
		return state.holders(fewer);
	}

	private void addStepsOfInstance(int instance, HolderState state, List<Step<HolderState, HolderAction>> steps) {
		List<Integer> known = new ArrayList<>();
		boolean running = false;
		for (int i = instance; i < this.requests; i += INSTANCES) {
			HoldingRequest request = state.requests().get(i);
			running |= !request.phase().isLast();
			if (request.known() && has(HolderRule.RENEW)) {
				known.add(i);
			}
		}
		if (!known.isEmpty()) {
			add(Kind.RENEW, instance, state, renew(known, state), steps);
		}
		if (!known.isEmpty() && state.faults() > 0 && state.renewals().get(instance).isEmpty()) {
			add(Kind.SEND_RENEWAL, instance, state, state.fault().renewal(instance, known), steps);
		}
		if (!state.renewals().get(instance).isEmpty()) {
			add(Kind.RENEW_LATE, instance, state,
					renewLate(state.renewals().get(instance), state.renewal(instance, List.of())), steps);
		}
		if (running && state.faults() > 0) {
			add(Kind.CRASH, instance, state, crash(instance, state.fault()), steps);
		}
	}

	private HolderState renew(List<Integer> renewed, HolderState state) {
		HolderState next = state;
		for (int index : renewed) {
			List<Holder> holders = new ArrayList<>(next.holders());
			holders.replaceAll((holder) -> (holder.request() != index) ? holder
					: new Holder(index, Math.max(holder.left(), lifeOf(holder)), holder.age()));
			if (!next.has(index)) {
				if (!has(HolderRule.RENEW_WHAT_IS_THERE)) {
					holders.add(new Holder(index, LIFE, 0));
				}
				next = next.request(index, (request) -> request.known(false));
			}
			next = next.holders(holders);
		}
		return next;
	}

	private HolderState renewLate(List<Integer> renewed, HolderState state) {
		HolderState next = renew(renewed, state);
		for (int index : renewed) {
			next = next.request(index, HoldingRequest::endAgain);
		}
		return next;
	}

	private int lifeOf(Holder holder) {
		return has(HolderRule.MAX_DURATION) ? Math.min(LIFE, MAX_DURATION - holder.age()) : LIFE;
	}

	private HolderState crash(int instance, HolderState state) {
		HolderState next = state.renewal(instance, List.of());
		for (int i = instance; i < this.requests; i += INSTANCES) {
			Phase phase = state.requests().get(i).phase();
			next = next.request(i, (request) -> {
				HoldingRequest crashed = request.known(false);
				crashed = (phase == Phase.ACQUIRING) ? crashed.later(Call.ACQUIRE) : crashed;
				crashed = (phase == Phase.RELEASING) ? crashed.later(Call.RELEASE) : crashed;
				return phase.isLast() ? crashed : crashed.phase(Phase.CRASHED);
			});
		}
		return next;
	}

	/**
	 * Whether a holder would end although its instance can renew it, or waits for the
	 * reply to its acquisition: no reply takes that long.
	 */
	private boolean isRenewalDue(HolderState state) {
		return has(HolderRule.RENEW) && state.holders().stream().anyMatch((holder) -> {
			HoldingRequest request = state.requests().get(holder.request());
			return holder.left() == 1 && lifeOf(holder) > 1 && (request.known() || request.phase() == Phase.ACQUIRED);
		});
	}

	private HolderState tick(HolderState state, Loss reason) {
		HolderState next = state;
		List<Holder> holders = new ArrayList<>();
		for (Holder holder : state.holders()) {
			int left = has(HolderRule.END) ? holder.left() - 1 : holder.left();
			if (left > 0) {
				holders.add(new Holder(holder.request(), left, Math.min(MAX_DURATION + 1, holder.age() + 1)));
			}
			else {
				Loss loss = (holder.age() + 1 >= MAX_DURATION) ? Loss.TOO_LONG : reason;
				next = next.request(holder.request(), (request) -> request.lose(loss));
			}
		}
		next = next.holders(holders);
		for (int i = 0; i < this.requests; i++) {
			next = next.request(i, (request) -> request.tick(LIFE));
		}
		return next;
	}

	@Override
	public @Nullable String violation(HolderState state, boolean last) {
		if (state.holders().size() > this.most) {
			return state.holders().size() + " permits are in use, more than " + this.most;
		}
		for (int i = 0; i < this.requests; i++) {
			String violation = violationOf(i, state);
			if (violation != null) {
				return violation;
			}
		}
		return (last && !state.holders().isEmpty()) ? "permits are in use for ever" : null;
	}

	private @Nullable String violationOf(int index, HolderState state) {
		HoldingRequest request = state.requests().get(index);
		boolean held = state.has(index);
		if (request.phase() == Phase.HOLDING && request.loss() == Loss.NO_FAULT && request.known()) {
			return "request " + index + " has lost its permit without a fault";
		}
		if (request.counts() && !held) {
			return "request " + index + " is in flight, but its permit was released";
		}
		if (held && request.phase() == Phase.RELEASED) {
			return "request " + index + " has released its permit, which is in use";
		}
		if (held && request.phase() == Phase.UNDECIDED && request.late().isEmpty()) {
			return "request " + index + " is undecided, and its permit is in use";
		}
		if (held && request.ended() == LIFE && request.late().isEmpty()) {
			return "request " + index + " ended long ago, and its permit is in use";
		}
		boolean tooLong = state.holders()
			.stream()
			.anyMatch((holder) -> holder.request() == index && holder.age() > MAX_DURATION);
		return tooLong ? "request " + index + " counts longer than the maximum duration" : null;
	}

}

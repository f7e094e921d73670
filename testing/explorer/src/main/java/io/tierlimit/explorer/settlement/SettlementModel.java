package io.tierlimit.explorer.settlement;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.tierlimit.explorer.Model;
import io.tierlimit.explorer.settlement.Bucket.Receipt;
import io.tierlimit.explorer.settlement.MeteredRequest.Phase;
import io.tierlimit.explorer.settlement.SettlementAction.Kind;
import io.tierlimit.explorer.settlement.SettlementCall.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Requests that acquire an estimate of one or two permits in turn from one bucket, meter
 * what they use, and are settled when they end.
 * <p>
 * A call is executed at any time after it was sent, in any order. A fault is a crash of
 * an instance, a request that does not get a reply to its acquisition in time, or a call
 * that is lost.
 */
public final class SettlementModel implements Model<SettlementState, SettlementAction> {

	/** The permits that the bucket may owe. */
	public static final int MAX_DEBT = 2;

	private final Size size;

	private final Set<SettlementRule> rules;

	private final @Nullable SettlementBound tighter;

	/**
	 * Creates a model of the protocol.
	 * @param requests the number of requests
	 * @param capacity the permits of the bucket
	 * @param use the maximum number of permits that each request uses
	 * @param ticks the permits that the bucket earns in the meantime
	 * @param faults the maximum number of faults
	 */
	public SettlementModel(int requests, int capacity, int use, int ticks, int faults) {
		this(new Size(requests, capacity, use, ticks, faults), EnumSet.allOf(SettlementRule.class), null);
	}

	private SettlementModel(Size size, Set<SettlementRule> rules, @Nullable SettlementBound tighter) {
		this.size = size;
		this.rules = rules;
		this.tighter = tighter;
	}

	/**
	 * Drops a rule of the protocol.
	 * @param rule the rule
	 * @return the model without the rule
	 */
	public SettlementModel without(SettlementRule rule) {
		Set<SettlementRule> others = EnumSet.copyOf(this.rules);
		others.remove(rule);
		return new SettlementModel(this.size, others, this.tighter);
	}

	/**
	 * Requires a stricter bound than the protocol promises.
	 * @param bound the bound
	 * @return the model in which the bound is one permit less
	 */
	public SettlementModel tighter(SettlementBound bound) {
		return new SettlementModel(this.size, this.rules, bound);
	}

	/**
	 * The estimate of a request.
	 * @param request the index of the request
	 * @return 1 or 2 permits
	 */
	public static int estimate(int request) {
		return 1 + request % 2;
	}

	private boolean has(SettlementRule rule) {
		return this.rules.contains(rule);
	}

	@Override
	public SettlementState initial() {
		return new SettlementState(Bucket.FULL,
				IntStream.range(0, this.size.requests()).mapToObj((i) -> MeteredRequest.of(estimate(i))).toList(), 0,
				this.size.faults());
	}

	@Override
	public List<Step<SettlementState, SettlementAction>> steps(SettlementState state) {
		List<Step<SettlementState, SettlementAction>> steps = new ArrayList<>();
		for (int i = 0; i < this.size.requests(); i++) {
			addStepsOf(i, state, steps);
			for (SettlementCall call : new LinkedHashSet<>(state.requests().get(i).sent())) {
				addStepsOfCall(i, call, state, steps);
			}
		}
		if (state.now() < this.size.ticks()) {
			steps.add(new Step<>(new SettlementAction(Kind.TICK, -1, null), state.tick()));
		}
		return steps;
	}

	private static void add(Kind kind, int index, SettlementState state, UnaryOperator<MeteredRequest> change,
			List<Step<SettlementState, SettlementAction>> steps) {
		SettlementState next = state.request(index, change);
		if (!next.equals(state)) {
			steps.add(new Step<>(new SettlementAction(kind, index, null), next));
		}
	}

	private void addStepsOf(int index, SettlementState state, List<Step<SettlementState, SettlementAction>> steps) {
		MeteredRequest request = state.requests().get(index);
		int estimate = estimate(index);
		switch (request.phase()) {
			case ACQUIRING -> {
				if (state.faults() > 0) {
					add(Kind.GIVE_UP, index, state.fault(), (given) -> giveUp(given, estimate), steps);
				}
			}
			case RUNNING -> addStepsInFlight(index, state, steps);
			case ENDED -> add(Kind.SETTLE_LATE, index, state,
					(ended) -> settleLate(ended, estimate, SettlementRule.NOTHING_AFTER_THE_END), steps);
			case REFUNDED -> add(Kind.SETTLE_LATE, index, state,
					(ended) -> settleLate(ended, estimate, SettlementRule.NOTHING_AFTER_REFUND), steps);
			default -> {
			}
		}
		if (!request.phase().isLast() && state.faults() > 0) {
			add(Kind.CRASH, index, state.fault(), (crashed) -> crashed.end(Phase.CRASHED, crashed.metering().charged()),
					steps);
		}
	}

	private void addStepsInFlight(int index, SettlementState state,
			List<Step<SettlementState, SettlementAction>> steps) {
		Metering metering = state.requests().get(index).metering();
		int estimate = estimate(index);
		if (metering.used() < this.size.use()) {
			add(Kind.USE, index, state, (request) -> request.metering(metering.use()), steps);
		}
		add(Kind.METER, index, state, (request) -> request.metering(metering.meter()), steps);
		add(Kind.FLUSH, index, state, (request) -> flush(request, estimate), steps);
		add(Kind.SETTLE, index, state, (request) -> settle(request, estimate), steps);
		add(Kind.COMPLETE, index, state, (request) -> complete(request, estimate, metering.used()), steps);
		add(Kind.COMPLETE_UNKNOWN, index, state, (request) -> complete(request, estimate, null), steps);
		add(Kind.REFUND, index, state, (request) -> refund(request, estimate), steps);
		if (metering.equals(Metering.of(estimate))) {
			add(Kind.ROLL_BACK, index, state, (request) -> refund(request, estimate), steps);
		}
	}

	private MeteredRequest giveUp(MeteredRequest request, int estimate) {
		MeteredRequest undecided = request.end(Phase.UNDECIDED, 0);
		return has(SettlementRule.SETTLE_WHAT_IS_CONFIRMED) ? undecided : undecided.send(Operation.RETURN, estimate);
	}

	private MeteredRequest flush(MeteredRequest request, int estimate) {
		Metering metering = request.metering();
		int permits = metering.toSend();
		if (permits == 0) {
			return request;
		}
		MeteredRequest sent = request.send(Operation.CONSUME, metering.least() - base(metering, estimate));
		return has(SettlementRule.COUNT_WHEN_SENT) ? sent.metering(metering.charge(permits)) : sent;
	}

	/** The permits from which a difference is calculated. */
	private int base(Metering metering, int estimate) {
		return has(SettlementRule.SEND_THE_DIFFERENCE) ? metering.charged() : estimate;
	}

	private MeteredRequest settle(MeteredRequest request, int estimate) {
		Metering metering = request.metering();
		if (metering.settled() == null) {
			return request.metering(metering.settle());
		}
		return has(SettlementRule.SETTLE_ONCE) ? request : send(request, estimate, metering.used());
	}

	private MeteredRequest complete(MeteredRequest request, int estimate, @Nullable Integer actualCost) {
		Metering metering = request.metering();
		Integer value = metering.value(actualCost);
		int due = (value != null) ? Math.max(value, metering.least()) : estimate;
		return send(request, estimate, actual(value, due)).end(Phase.ENDED, due);
	}

	private int actual(@Nullable Integer value, int due) {
		if (value == null) {
			return has(SettlementRule.UNKNOWN_KEEPS_THE_ESTIMATE) ? due : 0;
		}
		return has(SettlementRule.KEEP_WHAT_IS_METERED) ? due : value;
	}

	private MeteredRequest send(MeteredRequest request, int estimate, int actual) {
		return (actual < estimate) ? request.send(Operation.RETURN, estimate - actual)
				: request.send(Operation.CONSUME, Math.max(0, actual - base(request.metering(), estimate)));
	}

	private MeteredRequest refund(MeteredRequest request, int estimate) {
		int charged = request.metering().charged();
		return request.send(Operation.RETURN, has(SettlementRule.REFUND_THE_ESTIMATE) ? estimate : charged)
			.end(Phase.REFUNDED, charged - estimate);
	}

	private MeteredRequest settleLate(MeteredRequest request, int estimate, SettlementRule rule) {
		return has(rule) ? request : request.send(Operation.RETURN, estimate);
	}

	private void addStepsOfCall(int index, SettlementCall call, SettlementState state,
			List<Step<SettlementState, SettlementAction>> steps) {
		SettlementState others = state.request(index, (request) -> request.without(call));
		steps.add(new Step<>(new SettlementAction(Kind.EXECUTE, index, call), execute(index, call, others)));
		if (state.faults() > 0 && state.requests().get(index).phase() != Phase.ACQUIRING) {
			steps.add(new Step<>(new SettlementAction(Kind.LOSE, index, call),
					others.fault().request(index, (request) -> lose(request, call))));
		}
		if (state.faults() > 0 && !has(SettlementRule.NEVER_REPEAT)) {
			steps.add(new Step<>(new SettlementAction(Kind.REPEAT, index, call),
					state.fault().request(index, (request) -> request.send(call.operation(), call.permits()))));
		}
	}

	private static MeteredRequest lose(MeteredRequest request, SettlementCall call) {
		return switch (call.operation()) {
			case ACQUIRE -> request;
			case CONSUME -> request.account(request.account().drop(call.permits()));
			case RETURN -> request.account(request.account().lapse(call.permits()));
		};
	}

	private SettlementState execute(int index, SettlementCall call, SettlementState state) {
		return switch (call.operation()) {
			case ACQUIRE -> acquire(index, call.permits(), state);
			case CONSUME -> consume(index, call.permits(), state);
			case RETURN -> returnTo(index, call.permits(), state);
		};
	}

	private SettlementState acquire(int index, int estimate, SettlementState state) {
		boolean waits = state.requests().get(index).phase() == Phase.ACQUIRING;
		if (state.consumed() + estimate > this.size.capacity()) {
			return waits ? state.request(index, (request) -> request.end(Phase.REJECTED, 0)) : state;
		}
		Bucket bucket = state.bucket().consume(estimate, state.now());
		return state.bucket(bucket).request(index, (request) -> {
			MeteredRequest acquired = request.acquired(new Receipt(state.now(), bucket.charged()))
				.account(request.account().consume(estimate));
			return waits ? acquired.start(estimate) : acquired.account(acquired.account().due(estimate));
		});
	}

	private SettlementState consume(int index, int permits, SettlementState state) {
		int room = this.size.capacity() + MAX_DEBT - state.consumed();
		int consumed = has(SettlementRule.BOUND_THE_DEBT) ? Math.min(permits, Math.max(0, room)) : permits;
		Bucket bucket = (consumed > 0) ? state.bucket().consume(consumed, state.now()) : state.bucket();
		return state.bucket(bucket).request(index, (request) -> {
			MeteredRequest charged = request.account(request.account().consume(consumed).drop(permits - consumed));
			boolean counts = !has(SettlementRule.COUNT_WHEN_SENT) && request.phase() == Phase.RUNNING;
			return counts ? charged.metering(request.metering().charge(permits)) : charged;
		});
	}

	private SettlementState returnTo(int index, int permits, SettlementState state) {
		Receipt receipt = has(SettlementRule.RETURN_BY_RECEIPT) ? state.requests().get(index).receipt() : null;
		int returned = state.bucket().refund(permits, receipt, this.size.capacity(), state.now());
		return state.bucket(state.bucket().add(returned))
			.request(index,
					(request) -> request.account(request.account().consume(-returned).lapse(permits - returned)));
	}

	@Override
	public @Nullable String violation(SettlementState state, boolean last) {
		String violation = violationOf(SettlementBound.DEBT, state.consumed() - this.size.capacity(), MAX_DEBT);
		for (int since = 0; violation == null && since <= state.now(); since++) {
			violation = violationSince(since, state);
		}
		for (int i = 0; violation == null && i < this.size.requests(); i++) {
			violation = violationOf(i, state);
		}
		if (violation != null) {
			return violation;
		}
		if (consumedSince(0, state) < state.consumed()) {
			return "the bucket lacks permits that no request has consumed";
		}
		boolean admitted = state.requests().stream().anyMatch((request) -> request.receipt() != null);
		return (last && isUndisturbed(state) && !admitted) ? "no request is admitted" : null;
	}

	private @Nullable String violationOf(SettlementBound bound, int permits, int most) {
		int promised = (bound == this.tighter) ? most - 1 : most;
		return (permits > promised) ? bound + " is " + permits + ", more than " + promised : null;
	}

	private @Nullable String violationSince(int since, SettlementState state) {
		int earned = state.now() - since;
		if (consumedSince(since, state) > state.consumed() + earned) {
			return "the bucket has permits that requests since " + since + " have consumed";
		}
		int used = 0;
		for (int i = 0; i < this.size.requests(); i++) {
			MeteredRequest request = state.requests().get(i);
			used += request.isChargedSince(since) ? Math.min(request.use(), estimate(i)) : 0;
		}
		return violationOf(SettlementBound.USE, used, this.size.capacity() + earned);
	}

	private static int consumedSince(int since, SettlementState state) {
		return state.requests()
			.stream()
			.filter((request) -> request.isChargedSince(since))
			.mapToInt((request) -> request.account().consumed())
			.sum();
	}

	private @Nullable String violationOf(int index, SettlementState state) {
		MeteredRequest request = state.requests().get(index);
		Account account = request.account();
		if (account.consumed() < 0) {
			return "request " + index + " returns more than it has consumed";
		}
		if (request.phase().isLast() && request.sent().isEmpty() && !account.isBalanced()) {
			return "request " + index + " has ended with " + account;
		}
		boolean lost = account.lapsed() > 0 && isUndisturbed(state)
				&& (request.receipt() == null || account.lapsed() > MAX_DEBT + state.now() - request.receipt().at());
		return lost ? "request " + index + " has lost permits without a fault" : null;
	}

	private boolean isUndisturbed(SettlementState state) {
		return state.faults() == this.size.faults();
	}

	/**
	 * The size of an instance.
	 *
	 * @param requests the number of requests
	 * @param capacity the permits of the bucket
	 * @param use the maximum number of permits that each request uses
	 * @param ticks the permits that the bucket earns in the meantime
	 * @param faults the maximum number of faults
	 */
	private record Size(int requests, int capacity, int use, int ticks, int faults) {

	}

}

package io.tierlimit.explorer.settlement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.tierlimit.explorer.settlement.Bucket.Receipt;
import io.tierlimit.explorer.settlement.SettlementCall.Operation;
import org.jspecify.annotations.Nullable;

/**
 * A request that acquires an estimate, and is settled when it ends.
 *
 * @param phase what it does
 * @param metering what its instance counts
 * @param account what the bucket has really done
 * @param receipt the receipt of its acquisition; {@code null} if nothing was acquired
 * @param sent the calls that may be executed now or later, in any order
 */
record MeteredRequest(Phase phase, Metering metering, Account account, @Nullable Receipt receipt,
		List<SettlementCall> sent) {

	private static final Comparator<SettlementCall> ORDER = Comparator.comparing(SettlementCall::operation)
		.thenComparing(SettlementCall::permits);

	static MeteredRequest of(int estimate) {
		return new MeteredRequest(Phase.ACQUIRING, Metering.NONE, Account.NONE, null, List.of()).send(Operation.ACQUIRE,
				estimate);
	}

	MeteredRequest metering(Metering other) {
		return new MeteredRequest(this.phase, other, this.account, this.receipt, this.sent);
	}

	MeteredRequest account(Account other) {
		return new MeteredRequest(this.phase, this.metering, other, this.receipt, this.sent);
	}

	MeteredRequest acquired(Receipt acquired) {
		return new MeteredRequest(this.phase, this.metering, this.account, acquired, this.sent);
	}

	MeteredRequest start(int estimate) {
		return new MeteredRequest(Phase.RUNNING, Metering.of(estimate), this.account, this.receipt, this.sent);
	}

	MeteredRequest end(Phase last, int due) {
		return new MeteredRequest(last, Metering.NONE, this.account.due(due), this.receipt, this.sent);
	}

	/** Sends a call, unless it is about no permits. */
	MeteredRequest send(Operation operation, int permits) {
		if (permits == 0) {
			return this;
		}
		List<SettlementCall> more = new ArrayList<>(this.sent);
		more.add(new SettlementCall(operation, permits));
		more.sort(ORDER);
		return new MeteredRequest(this.phase, this.metering, this.account, this.receipt, List.copyOf(more));
	}

	MeteredRequest without(SettlementCall call) {
		List<SettlementCall> fewer = new ArrayList<>(this.sent);
		fewer.remove(call);
		return new MeteredRequest(this.phase, this.metering, this.account, this.receipt, List.copyOf(fewer));
	}

	boolean isChargedSince(int time) {
		return this.receipt != null && this.receipt.at() >= time;
	}

	/** The permits that the request has really used, unless it was refunded. */
	int use() {
		return switch (this.phase) {
			case RUNNING -> this.metering.used();
			case REFUNDED -> 0;
			default -> this.account.due();
		};
	}

	enum Phase {

		/** Its acquisition is sent. */
		ACQUIRING,
		/** It has acquired its estimate. */
		RUNNING,
		/** It has sent its settlement, if it needs one. */
		ENDED,
		/** It has sent its refund. */
		REFUNDED, REJECTED,
		/** It has no reply to its acquisition, and is decided without the store. */
		UNDECIDED,
		/** Its instance has stopped. */
		CRASHED;

		boolean isLast() {
			return compareTo(ENDED) >= 0;
		}

	}

}

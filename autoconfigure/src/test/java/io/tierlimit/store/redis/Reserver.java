package io.tierlimit.store.redis;

import java.util.List;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Overdraft;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.Receipt;
import io.tierlimit.spi.AcquireResult;
import io.tierlimit.spi.BucketKey;
import io.tierlimit.spi.Charge;
import io.tierlimit.spi.ChargeOptions;
import io.tierlimit.spi.StoreBudget;
import org.jspecify.annotations.Nullable;

/**
 * A process that reserves permits of a queue: {@code Reserver count port}. It begins when
 * it reads a byte. For each reservation it prints the moments of the call and of the
 * reply, by the clock of the machine, and the moment at which it may act, by that of
 * Redis.
 */
final class Reserver {

	private Reserver() {
	}

	public static void main(String[] args) throws Exception {
		Charge charge = new Charge(new BucketKey("queue", "all"), new LeakyBucket(Rate.parse("1/h")), 1,
				new ChargeOptions(false, null, true, Overdraft.ofPermits(100_000), null, true));
		try (Instance instance = Instance.on(Integer.parseInt(args[1]))) {
			System.out.println("ready");
			System.in.read();
			StringBuilder turns = new StringBuilder();
			for (int i = 0; i < Integer.parseInt(args[0]); i++) {
				long asked = System.nanoTime();
				AcquireResult result = instance.store.acquire(List.of(charge), new StoreBudget());
				turns.append("call ")
					.append(asked)
					.append(' ')
					.append(System.nanoTime())
					.append(' ')
					.append(act(result.charges().get(0).receipt(), result.decisions().get(0)))
					.append('\n');
			}
			System.out.print(turns);
		}
	}

	/** The moment at which the permits are earned; 0 for a request that does not wait. */
	private static long act(@Nullable Receipt receipt, @Nullable Decision decision) {
		if (receipt == null || decision == null || decision.timeToActTicks() == 0) {
			return 0;
		}
		return receipt.at() + decision.timeToActTicks();
	}

}

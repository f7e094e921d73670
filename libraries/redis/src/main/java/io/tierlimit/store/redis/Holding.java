package io.tierlimit.store.redis;

import java.security.SecureRandom;

import io.tierlimit.limit.Limit;
import io.tierlimit.limit.Receipt;
import io.tierlimit.store.Charge;

/**
 * Charges whose permits are held until they are released. Their holder has a random id,
 * which is known before the call that acquires the permits, so that the permits can also
 * be released if the reply is lost.
 */
final class Holding {

	/** The time from a renewal to the end of a holder, in ticks. */
	static final long LIFE_TICKS = Renewals.LIFE.toNanos() / 1000;

	/** Not a thread's own generator, which an image of the JVM would copy. */
	private static final SecureRandom RANDOM = new SecureRandom();

	private Holding() {
	}

	static boolean isHeld(Charge charge) {
		return charge.limit().algorithm().holdsPermits();
	}

	/** Returns the charge with the receipt of a new holder. */
	static Charge withHolder(Charge charge) {
		return charge.acquired(new Receipt(RANDOM.nextLong(), 0));
	}

	/** The time until a holder ends that is not renewed. */
	static long lifeTicks(Limit limit) {
		return Math.min(LIFE_TICKS, limit.rate().periodTicks());
	}

}

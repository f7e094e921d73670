package io.tierlimit.offender;

import java.time.Instant;

import io.tierlimit.junit.Rounds;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Explores interleavings of a few rejections and lists, in two windows. If a count is
 * lost, no sequential order has the same results.
 */
@Tag("slow")
class RecentRejectionsLincheckTests {

	@Test
	void countsAreLinearizable() {
		new ModelCheckingOptions().iterations(Rounds.of(2, 5))
			.invocationsPerIteration(100)
			.threads(2)
			.actorsPerThread(2)
			.actorsBefore(1)
			.actorsAfter(1)
			.check(Rejections.class);
	}

	/** Two counters in each window, and three keys. */
	@Param(name = "key", gen = IntGen.class, conf = "1:3")
	@Param(name = "window", gen = IntGen.class, conf = "0:2")
	public static class Rejections {

		private final RecentRejections rejections = new RecentRejections(2, 0);

		@Operation
		public void add(@Param(name = "key") int key, @Param(name = "window") int window) {
			this.rejections.add("key-" + key, null, window);
		}

		@Operation
		public String list(@Param(name = "window") int window) {
			return this.rejections.list(window, Instant.EPOCH).toString();
		}

	}

}

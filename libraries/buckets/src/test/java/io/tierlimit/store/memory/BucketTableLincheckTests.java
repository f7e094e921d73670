package io.tierlimit.store.memory;

import java.util.HashSet;
import java.util.Set;

import io.tierlimit.junit.Rounds;
import io.tierlimit.store.BucketKey;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Explores interleavings of look-ups with additions and removals, each of which may
 * double or halve the table.
 */
@Tag("slow")
class BucketTableLincheckTests {

	@Test
	void growingTableIsLinearizable() {
		new ModelCheckingOptions().iterations(Rounds.of(5, 10))
			.invocationsPerIteration(300)
			.threads(2)
			.actorsBefore(3)
			.actorsPerThread(2)
			.actorsAfter(1)
			.sequentialSpecification(KeysInTurn.class)
			.check(Keys.class);
	}

	@Param(name = "key", gen = IntGen.class, conf = "0:5")
	public static class Keys {

		private final BucketTable table = new BucketTable(1);

		@Operation
		public boolean contains(@Param(name = "key") int key) {
			return this.table.get(key(key)) != null;
		}

		@Operation
		public boolean add(@Param(name = "key") int key) {
			Bucket created = new Bucket(key(key));
			return this.table.putIfAbsent(key(key), created) == created;
		}

		@Operation
		public boolean remove(@Param(name = "key") int key) {
			Bucket bucket = this.table.get(key(key));
			if (bucket == null) {
				return false;
			}
			bucket.lock();
			try {
				if (bucket.isRemoved()) {
					return false;
				}
				this.table.remove(bucket, 0);
				bucket.setRemoved();
				return true;
			}
			finally {
				bucket.unlock();
			}
		}

		private static BucketKey key(int key) {
			return new BucketKey("per-user", "key " + key);
		}

	}

	public static class KeysInTurn {

		private final Set<Integer> keys = new HashSet<>();

		public boolean contains(int key) {
			return this.keys.contains(key);
		}

		public boolean add(int key) {
			return this.keys.add(key);
		}

		public boolean remove(int key) {
			return this.keys.remove(key);
		}

	}

}

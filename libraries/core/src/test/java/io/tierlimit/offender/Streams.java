package io.tierlimit.offender;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * Random streams of keys, from a few keys that are repeated to a flood of new keys.
 */
final class Streams {

	private Streams() {
	}

	static Stream<Map.Entry<String, List<String>>> all() {
		List<Map.Entry<String, List<String>>> streams = new ArrayList<>();
		for (int seed = 0; seed < 5; seed++) {
			Random random = new Random(seed);
			streams.add(stream("few keys", seed, () -> random.nextInt(4)));
			streams.add(stream("skewed", seed, () -> (int) (1 / (1 - random.nextDouble()))));
			streams.add(stream("equally often", seed, () -> random.nextInt(50)));
			streams.add(stream("mostly new", seed, () -> random.nextInt(10) == 0 ? 0 : random.nextInt()));
			int[] next = { 0 };
			streams.add(stream("in turn", seed, () -> next[0]++ % (8 + random.nextInt(3))));
			streams.add(stream("never again", seed, () -> next[0]++));
		}
		return streams.stream();
	}

	private static Map.Entry<String, List<String>> stream(String name, int seed, IntSupplier keys) {
		List<String> stream = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			stream.add("key-" + keys.getAsInt());
		}
		return Map.entry(name + " " + seed, stream);
	}

}

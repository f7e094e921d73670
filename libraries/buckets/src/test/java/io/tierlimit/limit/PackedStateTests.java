package io.tierlimit.limit;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PackedStateTests {

	@RandomizedTest(50)
	void unpackedStateEqualsThePackedOne(int seed) {
		RandomTraffic traffic = new RandomTraffic(seed);
		for (Limit limit : new Limit[] { traffic.limit(), traffic.window(), traffic.sliding(), traffic.log(),
				traffic.leaky(), Concurrency.of(1 + seed % 9, Duration.ofSeconds(5)) }) {
			BucketState state = new BucketState(0);
			for (int i = 0; i < 20; i++) {
				limit.acquire(state, traffic.cost(limit, state), traffic.moment(limit));
				assertThat(PackedState.unpack(PackedState.pack(state))).hasToString(state.toString());
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 33, 49, 64, 65, 72, 74, 83 })
	void rejectsAPackedStateOfAnotherSize(int size) {
		byte[] packed = new byte[size];
		if (size > 0) {
			packed[0] = 1;
		}
		assertThatIllegalArgumentException().isThrownBy(() -> PackedState.unpack(packed))
			.withMessageContaining("not a packed bucket");
	}

	@ParameterizedTest
	@CsvSource({ "4, 1, log", "4, 9, log", "4, 11, log", "6, 1, holders", "6, 10, holders", "6, 25, holders",
			"6, 27, holders" })
	void rejectsPartialEntriesAndHolders(byte algorithm, int more, String content) {
		byte[] packed = new byte[73 + more];
		packed[0] = algorithm;
		packed[40] = 1;
		assertThatIllegalArgumentException().isThrownBy(() -> PackedState.unpack(packed))
			.withMessageContaining("not " + (content.equals("log") ? "a packed log" : "packed holders"));
	}

}

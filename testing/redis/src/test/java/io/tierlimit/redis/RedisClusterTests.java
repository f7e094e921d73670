package io.tierlimit.redis;

import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("slow")
class RedisClusterTests {

	private static Set<RedisServer> before;

	private static RedisCluster cluster;

	@BeforeAll
	static void start() {
		before = RedisServer.open();
		cluster = RedisCluster.start("--maxmemory", "50mb");
		assertThat(RedisServer.open()).hasSize(before.size() + 6);
	}

	@AfterAll
	static void leavesNothingBehind() {
		cluster.nodes().get(1).stop();
		cluster.close();
		assertThat(RedisServer.open()).isEqualTo(before);
		cluster.close();
	}

	@Test
	void movesASlotWithItsKeys() {
		int slot = cluster.slotOf("moved");
		RedisServer from = cluster.masterOf(slot);
		RedisServer to = cluster.masterOf((slot + 16384 / 2) % 16384);
		IntStream.range(0, 250).forEach((i) -> from.command("SET", "{moved}" + i, "value"));
		cluster.moveSlot(slot, to);
		assertThat(cluster.masterOf(slot)).isSameAs(to);
		assertThat(to.command("CLUSTER", "COUNTKEYSINSLOT", String.valueOf(slot))).isEqualTo("250");
		assertThatExceptionOfType(RedisSocket.ErrorReply.class).isThrownBy(() -> from.command("GET", "{moved}1"))
			.withMessage("MOVED " + slot + " 127.0.0.1:" + to.port());
		cluster.moveSlot(slot, from);
		assertThat(from.command("GET", "{moved}1")).isEqualTo("value");
	}

	@Test
	void redirectsDuringAMove() {
		int slot = cluster.slotOf("asked");
		RedisServer from = cluster.masterOf(slot);
		RedisServer to = cluster.masterOf((slot + 16384 / 2) % 16384);
		from.command("MSET", "{asked}1", "one", "{asked}2", "two");
		cluster.beginMove(slot, to);
		cluster.moveKey("{asked}1", to);
		assertThat(from.command("GET", "{asked}2")).isEqualTo("two");
		assertThatExceptionOfType(RedisSocket.ErrorReply.class).isThrownBy(() -> from.command("GET", "{asked}1"))
			.withMessage("ASK " + slot + " 127.0.0.1:" + to.port());
		try (RedisSocket asking = to.connect()) {
			asking.command("ASKING");
			assertThat(asking.command("GET", "{asked}1")).isEqualTo("one");
			asking.command("ASKING");
			assertThatExceptionOfType(RedisSocket.ErrorReply.class)
				.isThrownBy(() -> asking.command("MGET", "{asked}1", "{asked}2"))
				.withMessageStartingWith("TRYAGAIN");
		}
		cluster.moveKeys(slot, to);
		cluster.finishMove(slot, to);
		assertThat(to.command("MGET", "{asked}1", "{asked}2")).isEqualTo("one\ntwo");
	}

}

package io.tierlimit.store.redis;

import java.util.concurrent.atomic.AtomicInteger;

import io.tierlimit.junit.Poll;
import io.tierlimit.store.Charge;
import io.tierlimit.store.Crowd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} with faults of its server while several threads make
 * requests.
 */
@ExtendWith(OutputCaptureExtension.class)
class LoadTests extends RedisServerTest {

	private static final int THREADS = 4;

	private static final int REQUESTS = THREADS * 1000;

	/** The number of faults. */
	private static final int MEDDLING = 3;

	private final Charge charge = Instance.of(1500, "load");

	private final Charge other = Instance.of(1000, "other");

	@Test
	void missingScriptIsSentAgainUnderLoad(CapturedOutput output) throws Exception {
		Instance instance = use(Instance.on(this.server.port()));
		meddle(instance, "SCRIPT", "FLUSH");
		assertThat(instance.all()).isEqualTo(Tally.stored(REQUESTS, 1000));
		assertThat(instance.left(this.charge)).isEqualTo(500);
		assertThat(new OutageLog(output).begun()).isZero();
	}

	@Test
	void lostBucketsAreFull(CapturedOutput output) throws Exception {
		Instance instance = use(Instance.on(this.server.port()));
		int times = meddle(instance, "FLUSHALL");
		Tally all = instance.all();
		assertThat(all).isEqualTo(Tally.stored(REQUESTS, all.admitted()));
		assertThat(all.admitted()).isBetween(1000, 1000 * (1 + times));
		assertThat(new OutageLog(output).begun()).isZero();
	}

	@Test
	void killedConnectionsAreReplaced(CapturedOutput output) throws Exception {
		Instance instance = use(Instance.on(this.server.port()));
		meddle(instance, "CLIENT", "KILL", "TYPE", "normal");
		Tally all = instance.all();
		assertThat(all.requests()).isEqualTo(REQUESTS);
		assertThat(all.unavailable()).isZero();
		// The instance's own buckets may admit the same number again.
		assertThat(all.admitted()).isBetween(1000, 2000);
		assertThat(new OutageLog(output).awaitEnd(instance)).isBetween(1, MEDDLING);
		assertThat(instance.request(5, this.other).stored()).isEqualTo(5);
	}

	/**
	 * Sends a command repeatedly while requests are made. Returns the number of times.
	 */
	private int meddle(Instance instance, String... command) throws Exception {
		AtomicInteger asked = new AtomicInteger();
		AtomicInteger sent = new AtomicInteger();
		Crowd.run(THREADS + 1, (member) -> {
			if (member < THREADS) {
				for (int i = 0; i < REQUESTS / THREADS; i++) {
					instance.acquire(this.charge, this.other);
					asked.incrementAndGet();
				}
				return 0;
			}
			for (int part = 1; part <= MEDDLING; part++) {
				int reached = part * REQUESTS / (MEDDLING + 2);
				Poll.until(() -> asked.get() > reached, () -> asked + " requests");
				this.server.command(command);
				sent.incrementAndGet();
			}
			return 0;
		});
		return sent.get();
	}

}

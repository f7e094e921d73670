package io.tierlimit.store.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.tierlimit.junit.Poll;
import io.tierlimit.junit.Rounds;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that several JVMs with random costs consume from a shared Redis exactly what they
 * log, even if one of them is killed. If Redis fails in the meantime, a change without a
 * reply is executed once or not at all.
 */
class SettlementStormTests extends RedisServerTest {

	private static final long DAY = Duration.ofDays(1).toNanos() / 1000;

	private static final int REQUESTS = Rounds.of(300, 10_000);

	private final List<Jvm> jvms = new ArrayList<>();

	/** Redis keeps what it has executed. */
	@Override
	String[] options() {
		return new String[] { "--appendonly", "yes", "--appendfsync", "always" };
	}

	@AfterEach
	void killAll() {
		this.jvms.forEach(Jvm::kill);
	}

	@Test
	void bucketsContainWhatASurvivorAndAKilledJvmHaveConsumed() {
		Jvm survivor = start(REQUESTS, 1);
		Jvm killed = start(1_000_000, 2);
		Poll.until(() -> killed.lines.size() > REQUESTS, killed::toString);
		killed.kill();
		assertThat(killed.ledger().uncertain()).as("each thread makes one call at a time").isLessThanOrEqualTo(2);
		survivor.awaitEnd();
		assertThat(survivor.ledger().uncertain()).isZero();
		assertConsumed(survivor.ledger().plus(killed.ledger()));
		assertNoPermitIsInUseLater();
	}

	@Test
	void restartsOfRedisSettleOnceOrNotAtAll() {
		List<Jvm> both = List.of(start(REQUESTS, 4), start(REQUESTS, 5));
		for (int restarts = 1; restarts <= 2; restarts++) {
			int lines = REQUESTS * restarts / 2;
			both.forEach((jvm) -> Poll.until(() -> jvm.lines.size() > lines, jvm::toString));
			this.server.restart();
		}
		this.server.command("CLIENT", "KILL", "TYPE", "normal");
		SettlementLedger all = new SettlementLedger(List.of());
		for (Jvm jvm : both) {
			jvm.awaitEnd();
			all = all.plus(jvm.ledger());
		}
		assertThat(all.uncertain()).as("calls that were interrupted, or not made").isBetween(1L, REQUESTS / 10L);
		assertConsumed(all);
		assertNoPermitIsInUseLater();
	}

	private Jvm start(int requests, int seed) {
		Jvm jvm = new Jvm(this.server.port(), requests, 100 * seed);
		this.jvms.add(jvm);
		return jvm;
	}

	private void assertConsumed(SettlementLedger ledger) {
		Instance instance = use(Instance.on(this.server.port()));
		for (int i = 0; i < SettlementJvm.KEYS; i++) {
			String key = String.valueOf(i);
			Charge level = new Charge(new BucketKey("tokens", key), SettlementJvm.limit(), 0);
			long ticks = instance.store.peek(List.of(level)).decisions().get(0).resetTicks();
			long consumed = -Math.floorDiv(-ticks, DAY);
			assertThat(consumed).as("%s, with %s uncertain changes", key, ledger.uncertain())
				.isPositive()
				.isBetween(ledger.least(key), ledger.most(key))
				.isLessThanOrEqualTo(SettlementJvm.CAPACITY + SettlementJvm.MAX_DEBT);
		}
	}

	private void assertNoPermitIsInUseLater() {
		try (Later later = new Later(this.server)) {
			assertThat(later.left(HeldPermitsTests.KEY, HeldPermitsTests.MANY))
				.isEqualTo(HeldPermitsTests.MANY.capacity());
		}
	}

	/** The command that starts a JVM with the class path of the tests. */
	static List<String> command(Class<?> main, String... arguments) {
		String classpath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classpath,
						"-Xmx128m", "-XX:TieredStopAtLevel=1", main.getName()));
		command.addAll(List.of(arguments));
		return command;
	}

	private static final class Jvm {

		private final Process process;

		private final List<String> lines = new CopyOnWriteArrayList<>();

		private final CompletableFuture<Void> read;

		Jvm(int port, int requests, int seed) {
			try {
				this.process = new ProcessBuilder(command(SettlementJvm.class, String.valueOf(port),
						String.valueOf(requests), String.valueOf(seed)))
					.redirectErrorStream(true)
					.start();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			this.read = CompletableFuture.runAsync(this::readLines);
		}

		private void readLines() {
			try (BufferedReader output = new BufferedReader(
					new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
				output.lines().forEach(this.lines::add);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/** Does not close the output, as the method of the process itself does. */
		void kill() {
			this.process.toHandle().destroyForcibly();
		}

		void awaitEnd() {
			Poll.until(() -> !this.process.isAlive(), () -> "Running: " + this);
			assertThat(this.process.exitValue()).as(toString()).isZero();
		}

		SettlementLedger ledger() {
			this.read.join();
			return SettlementLedger.of(this.lines);
		}

		/** The lines that do not belong to the log. */
		@Override
		public String toString() {
			return this.lines.size() + " lines with "
					+ this.lines.stream().filter((line) -> !line.matches("(begin|end) .*")).toList();
		}

	}

}

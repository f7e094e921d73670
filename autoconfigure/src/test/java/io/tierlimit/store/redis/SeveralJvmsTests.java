package io.tierlimit.store.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.Rounds;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several JVMs with a shared Redis admit no more than one would.
 */
@Tag("slow")
class SeveralJvmsTests {

	private static final int JVMS = Rounds.of(2, 4);

	private static final int REQUESTS = 400;

	private static final Pattern COUNTS = Pattern.compile("admitted (\\d+) of (\\d+)");

	@Test
	void admitExactlyTheBurst() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			assertThat(hammer("1/d", 300, List.of(server.port()))).isEqualTo(300);
		}
	}

	@Test
	void admitAtMostTheEarnedPermits() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			long start = System.nanoTime();
			long admitted = hammer("100/s", 50, List.of(server.port()));
			double elapsed = (System.nanoTime() - start) / 1e9;
			assertThat((double) admitted).isBetween(50.0, 50 + 100 * elapsed);
		}
	}

	@Test
	void admitExactlyTheBurstOverSeveralSlots() throws Exception {
		try (RedisCluster cluster = RedisCluster.start()) {
			assertThat(hammer("1/d", 300, cluster.ports())).isEqualTo(300);
		}
	}

	/**
	 * A request that starts after another one's reply acts after it, whatever its
	 * process.
	 */
	@Test
	void reservationsAreInOrder() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			List<Call> calls = reserve(server.port());
			List<Long> moments = calls.stream().map(Call::act).filter((act) -> act > 0).sorted().toList();
			assertThat(moments).as("all except for the first have to wait").hasSize(JVMS * REQUESTS - 1);
			for (int i = 1; i < moments.size(); i++) {
				assertThat(moments.get(i) - moments.get(i - 1)).isEqualTo(Duration.ofHours(1).toNanos() / 1000);
			}
			List<Call> byReply = calls.stream().sorted(Comparator.comparing(Call::replied)).toList();
			for (Call later : calls) {
				byReply.stream()
					.takeWhile((earlier) -> earlier.replied() < later.sent())
					.reduce((first, second) -> second)
					.ifPresent((earlier) -> assertThat(later.act()).isGreaterThan(earlier.act()));
			}
		}
	}

	private static List<Call> reserve(int port) throws IOException, InterruptedException {
		List<Process> processes = new ArrayList<>();
		try {
			for (int i = 0; i < JVMS; i++) {
				processes.add(new ProcessBuilder(java(Reserver.class, String.valueOf(REQUESTS), String.valueOf(port)))
					.redirectErrorStream(true)
					.start());
			}
			List<BufferedReader> outputs = new ArrayList<>();
			for (Process process : processes) {
				outputs
					.add(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
			}
			for (BufferedReader reader : outputs) {
				String line = reader.readLine();
				while (line != null && !line.equals("ready")) {
					line = reader.readLine();
				}
			}
			for (Process process : processes) {
				process.getOutputStream().write('\n');
				process.getOutputStream().flush();
			}
			List<Call> calls = new ArrayList<>();
			for (BufferedReader reader : outputs) {
				reader.lines().filter((line) -> line.startsWith("call ")).map(Call::of).forEach(calls::add);
			}
			return calls;
		}
		finally {
			processes.forEach(Process::destroyForcibly);
		}
	}

	private record Call(long sent, long replied, long act) {

		static Call of(String line) {
			String[] numbers = line.split(" ", -1);
			return new Call(Long.parseLong(numbers[1]), Long.parseLong(numbers[2]), Long.parseLong(numbers[3]));
		}

	}

	private static List<String> java(Class<?> main, String... arguments) {
		String classpath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classpath,
						"-Xmx128m", "-XX:TieredStopAtLevel=1", main.getName()));
		command.addAll(List.of(arguments));
		return command;
	}

	/** The number of requests that all JVMs together admitted. */
	private static long hammer(String rate, int burst, List<Integer> ports) throws IOException, InterruptedException {
		List<String> command = java(Hammer.class, rate, String.valueOf(burst), String.valueOf(REQUESTS));
		ports.forEach((port) -> command.add(String.valueOf(port)));
		List<Process> processes = new ArrayList<>();
		try {
			for (int i = 0; i < JVMS; i++) {
				processes.add(new ProcessBuilder(command).redirectErrorStream(true).start());
			}
			long admitted = 0;
			for (Process process : processes) {
				String outputs = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
				Matcher counts = COUNTS.matcher(outputs);
				assertThat(process.waitFor()).as(outputs).isZero();
				assertThat(counts.find()).as(outputs).isTrue();
				assertThat(counts.group(2)).as("decided in Redis").isEqualTo(String.valueOf(REQUESTS));
				admitted += Long.parseLong(counts.group(1));
			}
			return admitted;
		}
		finally {
			processes.forEach(Process::destroyForcibly);
		}
	}

}

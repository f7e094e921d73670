package io.tierlimit.store.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.junit.Rounds;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that several JVMs with a shared Redis together admit no more requests than one
 * JVM.
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

	static List<String> java(Class<?> main, String... arguments) {
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

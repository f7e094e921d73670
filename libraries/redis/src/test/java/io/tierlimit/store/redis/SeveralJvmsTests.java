package io.tierlimit.store.redis;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.junit.Rounds;
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

	private static final Pattern COUNTS = Pattern.compile("admitted (\\d+) and (\\d+) of (\\d+)");

	@Test
	void admitExactlyTheBurstAndAtMostTheEarnedPermitsOverSeveralSlots() throws Exception {
		List<Process> processes = new ArrayList<>();
		try {
			List<String> command = java(Hammer.class, String.valueOf(REQUESTS));
			RedisClusterTest.cluster.ports().forEach((port) -> command.add(String.valueOf(port)));
			long start = System.nanoTime();
			for (int i = 0; i < JVMS; i++) {
				processes.add(new ProcessBuilder(command).redirectErrorStream(true).start());
			}
			long burst = 0;
			long earned = 0;
			for (Process process : processes) {
				String outputs = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
				Matcher counts = COUNTS.matcher(outputs);
				assertThat(process.waitFor()).as(outputs).isZero();
				assertThat(counts.find()).as(outputs).isTrue();
				assertThat(counts.group(3)).as("decided in Redis").isEqualTo(String.valueOf(2 * REQUESTS));
				burst += Long.parseLong(counts.group(1));
				earned += Long.parseLong(counts.group(2));
			}
			double elapsed = (System.nanoTime() - start) / 1e9;
			assertThat(burst).isEqualTo(Hammer.BURST.burst());
			assertThat((double) earned).isBetween((double) Hammer.EARNED.burst(),
					Hammer.EARNED.burst() + Hammer.EARNED.rate().permits() * elapsed);
		}
		finally {
			processes.forEach(Process::destroyForcibly);
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

}

package io.tierlimit.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * The machine and the JDK of a run.
 */
public final class Machine {

	private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

	private Machine() {
	}

	/**
	 * Describes the day, the JDK and the machine, and the number of threads on the
	 * machine that were running or ready in the last minute. Call this before a run
	 * begins.
	 * @return two sentences
	 * @throws IOException if the system's list of processors cannot be read
	 */
	public static String describe() throws IOException {
		return "Measured on " + LocalDate.now(ZoneOffset.UTC) + " with JDK " + Runtime.version() + " on "
				+ Runtime.getRuntime().availableProcessors() + " processors (" + processor() + "), "
				+ System.getProperty("os.name") + ". Load average before the run: "
				+ Math.round(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()) + ".";
	}

	private static String processor() throws IOException {
		if (!Files.isReadable(PROCESSORS)) {
			return System.getProperty("os.arch");
		}
		return Files.readAllLines(PROCESSORS)
			.stream()
			.filter((line) -> line.startsWith("model name"))
			.findFirst()
			.map((line) -> line.substring(line.indexOf(':') + 1).strip())
			.orElse(System.getProperty("os.arch"));
	}

}

package io.tierlimit.benchmarks.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A running application in a separate process, on a free port.
 */
final class Server implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private static final long START_SECONDS = 120;

	private final Process process;

	private final Path log;

	private final int port;

	private Server(Process process, Path log) throws IOException, InterruptedException {
		this.process = process;
		this.log = log;
		this.port = awaitPort();
	}

	/** Starts an application, and waits until it accepts requests. */
	static Server start(Application application) throws IOException, InterruptedException {
		Path log = Files.createTempFile("server", ".log");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
		command.addAll(application.arguments());
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		try {
			return new Server(process, log);
		}
		catch (IOException | InterruptedException | RuntimeException ex) {
			process.destroy();
			throw ex;
		}
	}

	private int awaitPort() throws IOException, InterruptedException {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(START_SECONDS)) {
			Matcher port = PORT.matcher(Files.readString(this.log));
			if (port.find()) {
				return Integer.parseInt(port.group(1));
			}
			if (this.process.waitFor(100, TimeUnit.MILLISECONDS)) {
				break;
			}
		}
		throw new IllegalStateException("The application did not start:\n" + Files.readString(this.log));
	}

	int port() {
		return this.port;
	}

	/** The processor time that all threads of the process have used so far. */
	Duration processorTime() {
		return this.process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	@Override
	public void close() {
		this.process.destroy();
		this.process.onExit().join();
		if (!this.log.toFile().delete()) {
			System.err.println(this.log + " cannot be deleted.");
		}
	}

}

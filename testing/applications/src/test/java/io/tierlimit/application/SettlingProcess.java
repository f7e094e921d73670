package io.tierlimit.application;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.application.EndingApplication.Gate;
import io.tierlimit.junit.Poll;

/**
 * A {@link SettlingApplication} in its own JVM.
 */
final class SettlingProcess implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Started on port (\\d+)\\R");

	private final Path output;

	private final Process process;

	/**
	 * Starts a process.
	 * @param output the file that the process writes its output to
	 */
	SettlingProcess(Path output, String... properties) throws IOException {
		this.output = output;
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
						"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
						SettlingProcess.class.getName()));
		command.addAll(List.of(properties));
		this.process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
	}

	/** Runs until the input ends: the process does not outlive its parent. */
	public static void main(String[] properties) throws IOException {
		try (RunningApplication application = RunningApplication.start(SettlingApplication.class, properties)) {
			application.bean(Gate.class).open();
			System.out.println("Started on port " + application.port());
			System.in.readAllBytes();
		}
	}

	/** Waits until the application accepts requests. */
	int awaitPort() {
		Poll.until(() -> port().find() || !isAlive(), this::toString);
		Matcher port = port();
		if (!port.find()) {
			throw new IllegalStateException(toString());
		}
		return Integer.parseInt(port.group(1));
	}

	private Matcher port() {
		return PORT.matcher(toString());
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/** Ends the process as in a crash, and waits until it has ended. */
	@Override
	public void close() {
		this.process.destroyForcibly();
		Poll.until(() -> !isAlive(), () -> this.process.pid() + " is still alive");
	}

	/** The output of the process. */
	@Override
	public String toString() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

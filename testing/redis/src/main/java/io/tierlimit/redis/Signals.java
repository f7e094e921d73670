package io.tierlimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.tierlimit.junit.Poll;

/**
 * Sends signals to processes, and waits until they have taken effect.
 */
public final class Signals {

	private Signals() {
	}

	/**
	 * Ends a process, even if it is stopped, and its children, which would outlive it.
	 */
	static void kill(Process process) {
		List<ProcessHandle> children = process.descendants().toList();
		process.destroyForcibly();
		children.forEach(ProcessHandle::destroyForcibly);
		Poll.until(() -> !process.isAlive(), () -> process.pid() + " is still alive");
		children.forEach((child) -> Poll.until(() -> hasEnded(child), () -> child.pid() + " is still alive"));
	}

	/** Freezes a process: its connections stay open, and it does not reply. */
	public static void stop(ProcessHandle process) {
		send("STOP", process);
		Poll.until(() -> state(process.pid()).matches("[TZ]?"), () -> process.pid() + " is not stopped");
	}

	/** Continues a stopped process. */
	public static void resume(ProcessHandle process) {
		send("CONT", process);
	}

	/** Whether a process has ended, or is a zombie. */
	public static boolean hasEnded(ProcessHandle handle) {
		// In containers, orphans may stay zombies, because no process waits for them.
		return !handle.isAlive() || state(handle.pid()).equals("Z");
	}

	/**
	 * Sends a signal with the shell, whose {@code kill} command exists on every system.
	 */
	private static void send(String signal, ProcessHandle process) {
		String command = "kill -" + signal + " " + process.pid();
		if (!process.isAlive()) {
			throw new IllegalStateException("The process has ended: " + command);
		}
		try {
			Process shell = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
			String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (shell.waitFor() != 0) {
				throw new IllegalStateException(command + ": " + output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted: " + command, ex);
		}
	}

	/** The letter of a process's state in Linux; empty elsewhere. */
	private static String state(long pid) {
		try {
			String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
			int end = stat.lastIndexOf(')');
			return stat.substring(end + 2, end + 3);
		}
		catch (IOException ex) {
			return "";
		}
	}

}

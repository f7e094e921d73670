package io.tierlimit.autoconfigure.reload;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.task.BackgroundTask;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.MutablePropertySources;

/**
 * Reloads the rules when the properties of a file or a config tree have changed. It
 * compares the properties and their lines, not the time of a change, because Kubernetes
 * replaces mounted files by changing a symbolic link.
 */
public final class ConfigurationWatcher implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(ConfigurationWatcher.class);

	private static final Duration INTERVAL = Duration.ofSeconds(10);

	private final MutablePropertySources sources;

	private final RuleReloader reloader;

	private final boolean enabled;

	private final Duration interval;

	private final Map<WatchedSource, String> problems = new HashMap<>();

	private List<WatchedSource> watched = List.of();

	private final BackgroundTask task = new BackgroundTask("tierlimit-watch", this::run);

	/**
	 * Creates a watcher.
	 * @param sources the property sources of the environment
	 * @param reloader reads the rules again
	 * @param enabled whether files are checked, every 10 seconds
	 */
	public ConfigurationWatcher(MutablePropertySources sources, RuleReloader reloader, boolean enabled) {
		this(sources, reloader, enabled, INTERVAL);
	}

	ConfigurationWatcher(MutablePropertySources sources, RuleReloader reloader, boolean enabled, Duration interval) {
		this.sources = sources;
		this.reloader = reloader;
		this.enabled = enabled;
		this.interval = interval;
	}

	@Override
	public void start() {
		if (!this.enabled) {
			return;
		}
		this.watched = WatchedSource.findAll(this.sources);
		if (this.watched.isEmpty()) {
			logger.warn("tierlimit.reload.watch has no effect: the configuration has neither files outside of jars nor "
					+ "config trees. Add one with spring.config.import, or remove tierlimit.reload.watch.");
			return;
		}
		logger.info("The rules are reloaded when one of these changes: " + this.watched + ".");
		checkAndContinue();
		this.task.start();
	}

	/**
	 * Reads all files, and then reloads the rules once if properties have changed. If a
	 * file can no longer be read, or can be read again, the rules are also reloaded, so
	 * that the result of the reload shows it.
	 */
	void check() {
		boolean changed = false;
		for (WatchedSource source : this.watched) {
			try {
				changed |= source.update();
				changed |= this.problems.remove(source) != null;
			}
			catch (Exception ex) {
				String problem = describe(ex);
				if (!problem.equals(this.problems.put(source, problem))) {
					changed = true;
					logger.warn(notRead(source) + problem);
				}
			}
		}
		if (changed) {
			this.reloader.reload(this.watched.stream()
				.filter(this.problems::containsKey)
				// The message of an exception may contain a part of the file.
				.map((source) -> notRead(source) + "The log has the cause.")
				.toList());
		}
	}

	private static String notRead(WatchedSource source) {
		return source + " cannot be read again, so what was read before remains active. ";
	}

	private void run(BackgroundTask.Run run) {
		while (run.pause(this.interval)) {
			checkAndContinue();
		}
	}

	private void checkAndContinue() {
		try {
			check();
		}
		catch (Throwable ex) {
			// An expression that is nested too deeply is an error, which would end the
			// run.
			logger.warn("The files of the configuration could not be checked. They are checked again.", ex);
		}
	}

	/** Describes an exception in one line. */
	private static String describe(Exception ex) {
		return ex.toString().replaceAll("\\s+", " ");
	}

	@Override
	public void stop() {
		this.task.interrupt();
	}

	@Override
	public boolean isRunning() {
		return this.task.isRunning();
	}

}

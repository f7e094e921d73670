package io.tierlimit.event;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

import org.jspecify.annotations.Nullable;

/**
 * Writes a line at INFO for an event of a refusal. All facts are key-value pairs, too,
 * for structured logging.
 */
public final class RefusalLog {

	private static final Logger logger = LoggerFactory.getLogger(RefusalLog.class);

	/**
	 * Writes a line.
	 * @param event what happened
	 */
	public void write(RateLimitRefusedEvent event) {
		LoggingEventBuilder line = logger.atInfo();
		line = add(line, "rule", event.rule());
		line = add(line, "key", event.key());
		line = add(line, "plan", event.plan());
		line = add(line, "shadow", event.shadow());
		line = add(line, "cost", event.cost());
		line = add(line, "retryAfter", event.retryAfter());
		line = add(line, "ip", event.ip());
		line = add(line, "user", event.user());
		line = add(line, "endpoint", event.endpoint());
		line.log("Rule '{}' {} a request on bucket '{}': {}", event.rule(),
				event.shadow() ? "would have refused" : "refused", printable(event.key()), wait(event));
	}

	private static LoggingEventBuilder add(LoggingEventBuilder line, String key, @Nullable Object value) {
		if (value == null) {
			return line;
		}
		return line.addKeyValue("tierlimit." + key, (value instanceof String text) ? printable(text) : value);
	}

	private static String wait(RateLimitRefusedEvent event) {
		Duration wait = event.retryAfter();
		return (wait != null) ? "retry after " + wait.toMillis() + " ms" : "it can never pass";
	}

	/** Callers may have chosen it: it must not end the line. */
	private static String printable(String text) {
		return text.replaceAll("\\p{C}", "?");
	}

}

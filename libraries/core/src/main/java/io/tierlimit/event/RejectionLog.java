package io.tierlimit.event;

import java.time.Duration;

import io.tierlimit.RateLimitRejectedEvent;
import io.tierlimit.RuleDecision;
import io.tierlimit.limit.Ban;
import io.tierlimit.limit.Decision;
import io.tierlimit.logging.PrintableText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs a rejection at INFO. All facts are also key-value pairs, for structured logging.
 */
public final class RejectionLog {

	private static final Logger logger = LoggerFactory.getLogger(RejectionLog.class);

	/**
	 * Logs a rejection.
	 * @param event the rejection
	 */
	public void write(RateLimitRejectedEvent event) {
		RuleDecision decision = event.decision();
		LoggingEventBuilder line = logger.atInfo();
		line = add(line, "rule", decision.rule());
		line = add(line, "key", decision.key());
		line = add(line, "plan", decision.plan());
		line = add(line, "shadow", decision.shadow());
		line = add(line, "cost", decision.cost());
		line = add(line, "retryAfter", decision.decision().retryAfter());
		Ban ban = decision.decision().ban();
		line = add(line, "ban", (ban != null) ? ban.number() : null);
		line = add(line, "ip", event.ip());
		line = add(line, "user", event.user());
		line = add(line, "endpoint", event.endpoint());
		line.log("Rule '{}' {} a request on bucket '{}': {}", decision.rule(),
				decision.shadow() ? "would have rejected" : "rejected", PrintableText.of(decision.key()),
				wait(decision.decision()) + ((ban != null && ban.started()) ? ", banned (" + ban.number() + ")" : ""));
	}

	private static LoggingEventBuilder add(LoggingEventBuilder line, String key, @Nullable Object value) {
		if (value == null) {
			return line;
		}
		return line.addKeyValue("tierlimit." + key, (value instanceof String text) ? PrintableText.of(text) : value);
	}

	private static String wait(Decision decision) {
		if (decision.isWaitUnknown()) {
			return "it is not known when a permit becomes available";
		}
		Duration wait = decision.retryAfter();
		return (wait != null) ? "retry after " + wait.toMillis() + " ms" : "it can never be allowed";
	}

}

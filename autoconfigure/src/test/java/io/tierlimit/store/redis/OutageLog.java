package io.tierlimit.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.redis.Poll;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the log says of outages: a WARN when one begins, an INFO when it is over.
 */
final class OutageLog {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Pattern BEGIN = Pattern.compile("WARN .*RedisBucketStore.* Redis can't be reached");

	private static final Pattern END = Pattern.compile("INFO .*RedisBucketStore.* Redis can be reached again after "
			+ "(\\d+) ms, in which (\\d+) requests were decided by this instance alone, (\\d+) were let through, "
			+ "and (\\d+) were answered as unavailable");

	private final CapturedOutput output;

	OutageLog(CapturedOutput output) {
		// An application that ran before in this JVM may have said otherwise.
		LoggingSystem.get(OutageLog.class.getClassLoader())
			.setLogLevel(RedisBucketStore.class.getName(), LogLevel.INFO);
		this.output = output;
	}

	int begun() {
		return (int) BEGIN.matcher(this.output).results().count();
	}

	/** Asks for as long as it takes until the end of an outage is told, once. */
	void awaitOneOutage(Instance instance) {
		assertThat(awaitEnd(instance)).isOne();
	}

	/**
	 * Asks until the end of every outage is told, once each.
	 * @return how many outages there were
	 */
	int awaitEnd(Instance instance) {
		Poll.until(PATIENCE, () -> {
			instance.awaitRecovery();
			return ended() >= begun();
		}, () -> "no end told in " + this.output);
		assertThat(ended()).isEqualTo(begun());
		return ended();
	}

	private int ended() {
		return (int) END.matcher(this.output).results().count();
	}

	/** What became of requests: decided alone, let through, answered as unavailable. */
	List<Integer> numbers() {
		Matcher end = END.matcher(this.output);
		assertThat(end.find()).isTrue();
		return List.of(Integer.valueOf(end.group(2)), Integer.valueOf(end.group(3)), Integer.valueOf(end.group(4)));
	}

}

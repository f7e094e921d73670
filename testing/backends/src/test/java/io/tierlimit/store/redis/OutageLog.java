package io.tierlimit.store.redis;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.tierlimit.junit.Poll;
import io.tierlimit.store.Charge;

import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The log lines of outages: a WARN for the beginning, an INFO for the end.
 */
final class OutageLog {

	private static final Pattern BEGIN = Pattern.compile("WARN .*RedisBucketStore.* Redis cannot be reached");

	private static final Pattern END = Pattern.compile("INFO .*RedisBucketStore.* Redis can be reached again after "
			+ "(\\d+) ms. In the meantime, (\\d+) requests were decided by this instance alone, (\\d+) were allowed, "
			+ "and (\\d+) were rejected as unavailable");

	private final CapturedOutput output;

	OutageLog(CapturedOutput output) {
		this.output = output;
	}

	int begun() {
		return (int) BEGIN.matcher(this.output).results().count();
	}

	/**
	 * Acquires four of ten permits, and then, during a fault in which calls have no
	 * reply, all of the instance's own permits.
	 */
	void awaitOutage(Instance instance, Charge ten, Runnable fault, Runnable healing) {
		assertThat(instance.request(4, ten)).isEqualTo(Tally.stored(4, 4));
		instance.leaveUnanswered(fault);
		assertThat(instance.request(200, ten)).isEqualTo(Tally.alone(200, 10));
		instance.answerAgain(healing);
		awaitOneOutage(instance);
		assertThat(numbers()).isEqualTo(List.of(instance.all().alone(), 0, 0));
	}

	/** Makes requests until the end of the only outage is logged. */
	void awaitOneOutage(Instance instance) {
		assertThat(awaitEnd(instance)).isOne();
	}

	/**
	 * Makes requests until the end of every outage is logged.
	 * @return the number of outages
	 */
	int awaitEnd(Instance instance) {
		Poll.until(() -> {
			instance.awaitRecovery();
			return ended() >= begun() || instance.skipPause();
		}, () -> "no end logged in " + this.output);
		assertThat(ended()).isEqualTo(begun());
		return ended();
	}

	private int ended() {
		return (int) END.matcher(this.output).results().count();
	}

	/** The numbers of requests: decided alone, allowed, rejected as unavailable. */
	List<Integer> numbers() {
		Matcher end = END.matcher(this.output);
		assertThat(end.find()).isTrue();
		return List.of(Integer.valueOf(end.group(2)), Integer.valueOf(end.group(3)), Integer.valueOf(end.group(4)));
	}

}

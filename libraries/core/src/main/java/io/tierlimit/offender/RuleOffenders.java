package io.tierlimit.offender;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.VerdictListener;
import io.tierlimit.store.Ticker;

/**
 * Counts the rejections of each rule by key, in bounded memory. For a rule in shadow
 * mode, the requests that it would have rejected are counted. All rules have the same
 * windows.
 */
public final class RuleOffenders implements VerdictListener {

	/**
	 * The number of counters. Each key with a larger share of the rejections than one in
	 * this number is found.
	 */
	private static final int MAX_KEYS = 100;

	private static final Duration WINDOW = Duration.ofHours(1);

	private final Ticker ticker;

	private final InstantSource clock;

	private final int maxKeys;

	private final long window;

	private final long start;

	private final ConcurrentMap<String, RecentRejections> rules = new ConcurrentHashMap<>();

	/**
	 * Creates an empty count with 100 counters for each rule and window. A window is one
	 * hour long. The first window begins now.
	 * @param ticker the clock of the windows
	 * @param clock supplies the wall-clock time at which counting began
	 */
	public RuleOffenders(Ticker ticker, InstantSource clock) {
		this(ticker, clock, MAX_KEYS, WINDOW);
	}

	/**
	 * Creates an empty count, whose first window begins now.
	 * @param ticker the clock of the windows
	 * @param clock supplies the wall-clock time for {@link OffenderList#since()}
	 * @param maxKeys the number of counters for each rule and window, 1 or more
	 * @param window the length of a window, one microsecond or more
	 */
	RuleOffenders(Ticker ticker, InstantSource clock, int maxKeys, Duration window) {
		this.ticker = ticker;
		this.clock = clock;
		this.maxKeys = maxKeys;
		this.window = TimeUnit.MICROSECONDS.convert(window);
		this.start = ticker.ticks();
	}

	@Override
	public void onVerdict(Verdict verdict, Caller caller) {
		List<RuleDecision> decisions = verdict.decisions();
		for (int i = 0; i < decisions.size(); i++) {
			RuleDecision decision = decisions.get(i);
			if (!decision.decision().allowed()) {
				count(decision);
			}
		}
	}

	private void count(RuleDecision rejection) {
		long now = windowAt(this.ticker.ticks());
		RecentRejections rule = this.rules.get(rejection.rule());
		if (rule == null) {
			rule = this.rules.computeIfAbsent(rejection.rule(), (id) -> new RecentRejections(this.maxKeys, now));
		}
		rule.add(rejection.key(), rejection.plan(), now);
	}

	private long windowAt(long ticks) {
		return Math.floorDiv(ticks - this.start, this.window);
	}

	/**
	 * The keys that a rule has rejected most often, in the current window and the
	 * previous window.
	 * @param rule the id of the rule
	 * @return at most twice {@code maxKeys} keys, in descending order of their
	 * rejections. Each key with a share of more than one in {@code maxKeys} of these
	 * rejections is included
	 */
	public OffenderList of(String rule) {
		long ticks = this.ticker.ticks();
		long now = windowAt(ticks);
		long begin = this.start + Math.max(0, now - 1) * this.window;
		Instant since = this.clock.instant()
			.minus(Math.max(0, ticks - begin), ChronoUnit.MICROS)
			.plusMillis(500)
			.truncatedTo(ChronoUnit.SECONDS);
		RecentRejections rejections = this.rules.get(rule);
		return (rejections != null) ? rejections.list(now, since) : new OffenderList(since, 0, List.of());
	}

	/**
	 * Removes the counts of all other rules.
	 * @param rules the ids of the current rules
	 */
	public void retain(Collection<String> rules) {
		this.rules.keySet().retainAll(rules);
	}

}

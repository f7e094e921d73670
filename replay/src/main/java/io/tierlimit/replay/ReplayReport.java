package io.tierlimit.replay;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The result of replaying a log.
 *
 * @param log what was read
 * @param rules the result under the rules
 * @param against the result under the other rules, or {@code null} without any
 * @param difference the requests that the two results differ in, or {@code null}
 */
public record ReplayReport(Log log, Result rules, @Nullable Result against, @Nullable Difference difference) {

	/**
	 * Replays a log.
	 * @param log the log, of which all remaining requests are read
	 * @param rules decides each request
	 * @param against decides each request under other rules, too; {@code null} for none
	 * @return the result
	 * @throws IOException if the log cannot be read
	 */
	public static ReplayReport of(AccessLog log, Replay rules, @Nullable Replay against) throws IOException {
		ReplayStatistics statistics = new ReplayStatistics(rules, against);
		for (LoggedRequest request = log.next(); request != null; request = log.next()) {
			statistics.add(request);
		}
		return statistics.report(log);
	}

	/**
	 * What was read.
	 *
	 * @param requests the requests that were replayed
	 * @param first the time of the first one, or {@code null} if there are none
	 * @param last the time of the last one, or {@code null} if there are none
	 * @param wholeSeconds whether all times are whole seconds
	 * @param unreadable the lines that had no request
	 * @param unreadableExamples the first of these lines
	 * @param notForApplication the requests that were not replayed, because a server
	 * rejects their target or it is not below the context path
	 * @param late the requests that came after a later one
	 * @param withUser the requests of an authenticated user
	 * @param alreadyRejected the requests that were answered with 429
	 */
	public record Log(long requests, @Nullable Instant first, @Nullable Instant last, boolean wholeSeconds,
			long unreadable, List<String> unreadableExamples, long notForApplication, long late, long withUser,
			long alreadyRejected) {

	}

	/**
	 * The result under the rules of one configuration.
	 *
	 * @param rejected the requests that were rejected, with whatever status
	 * @param share their share of the replayed requests, from 0 to 1
	 * @param denied those of them that were rejected with 403, since a rule requires a
	 * key that the caller lacks
	 * @param invalid those of them that were rejected with 400, since a value that a rule
	 * needs is not valid
	 * @param rules the rules in the order of the configuration
	 * @param skipped the rules that were not replayed
	 * @param warnings what the startup of an application warns about
	 */
	public record Result(long rejected, double share, long denied, long invalid, List<RuleResult> rules,
			List<SkippedRule> skipped, List<String> warnings) {

	}

	/**
	 * The result of one rule.
	 *
	 * @param rule the id of the rule
	 * @param applied the requests that the rule applied to
	 * @param rejected the requests that violated the rule, and were rejected
	 * @param shadowRejected the requests that violated the rule in shadow mode
	 * @param delayed the allowed requests that would have waited for permits
	 * @param share the share of the replayed requests that violated the rule, from 0 to 1
	 * @param keys the number of keys whose requests violated the rule, up to 100,000
	 * @param topKeys the keys with the most violations, most first
	 * @param timeline the violations over time
	 */
	public record RuleResult(String rule, long applied, long rejected, long shadowRejected, long delayed, double share,
			int keys, List<KeyResult> topKeys, Timeline timeline) {

		/**
		 * The requests that violated the rule.
		 * @return the number, rejected or in shadow mode
		 */
		public long violations() {
			return this.rejected + this.shadowRejected;
		}

	}

	/**
	 * A bucket whose requests violated a rule.
	 *
	 * @param key the key of the bucket, empty for a rule with one bucket. Sensitive parts
	 * are hashed
	 * @param violations the requests
	 * @param first the time of the first one
	 * @param last the time of the last one
	 */
	public record KeyResult(String key, long violations, Instant first, Instant last) {

	}

	/**
	 * Numbers of requests over time.
	 *
	 * @param start the time at which the first interval begins
	 * @param interval the length of an interval
	 * @param counts the number in each interval
	 */
	public record Timeline(Instant start, Duration interval, List<Long> counts) {

		/**
		 * Creates a timeline.
		 */
		public Timeline {
			counts = List.copyOf(counts);
		}

	}

	/**
	 * The requests that two results differ in.
	 *
	 * @param added the requests that only the new rules reject
	 * @param addedShare their share of the replayed requests, from 0 to 1
	 * @param addedBy which of the new rules they violated; a request may violate several
	 * @param removed the requests that only the old rules reject
	 * @param removedShare their share of the replayed requests, from 0 to 1
	 * @param removedBy which of the old rules they violated
	 */
	public record Difference(long added, double addedShare, List<RuleDifference> addedBy, long removed,
			double removedShare, List<RuleDifference> removedBy) {

	}

	/**
	 * The requests that only one of two configurations rejects, by one of its rules.
	 *
	 * @param rule the id of the rule
	 * @param requests the requests that violated it
	 * @param topKeys the keys with the most of them, most first
	 */
	public record RuleDifference(String rule, long requests, List<KeyResult> topKeys) {

	}

}

package io.tierlimit.replay;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The result of replaying a log.
 *
 * @param log the summary of the log
 * @param rules the result under the rules
 * @param against the result under the other rules, or {@code null} if there are none
 * @param difference the requests that only one of the configurations rejects, or
 * {@code null}
 */
public record ReplayReport(Log log, Result rules, @Nullable Result against, @Nullable Difference difference) {

	/**
	 * Replays a log.
	 * @param log the log, which is read to its end
	 * @param rules decides each request
	 * @param against also decides each request, under other rules; {@code null} for none
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
	 * The summary of a log.
	 *
	 * @param requests the number of requests that were replayed
	 * @param first the time of the first request, or {@code null} if there are none
	 * @param last the time of the last request, or {@code null} if there are none
	 * @param wholeSeconds whether all times are whole seconds
	 * @param unreadable the number of lines that contained no request
	 * @param unreadableExamples the first lines that contained no request
	 * @param notForApplication the number of requests that were not replayed, because a
	 * server rejects their target, or because the target is not below the context path
	 * @param late the number of requests that were out of order
	 * @param withUser the number of requests of authenticated users
	 * @param alreadyRejected the number of requests with the logged status 429
	 */
	public record Log(long requests, @Nullable Instant first, @Nullable Instant last, boolean wholeSeconds,
			long unreadable, List<String> unreadableExamples, long notForApplication, long late, long withUser,
			long alreadyRejected) {

	}

	/**
	 * The result under the rules of one configuration.
	 *
	 * @param rejected the number of requests that were rejected, with any status
	 * @param share the share of rejected requests, from 0 to 1
	 * @param denied the number of requests that were rejected with 403, since a rule
	 * requires a key that the caller lacks
	 * @param invalid the number of requests that were rejected with 400, since a value
	 * that a rule needs is not valid
	 * @param rules the rules in the order of the configuration
	 * @param skipped the rules that were not replayed
	 * @param warnings the warnings that an application logs at startup
	 */
	public record Result(long rejected, double share, long denied, long invalid, List<RuleResult> rules,
			List<SkippedRule> skipped, List<String> warnings) {

	}

	/**
	 * The result of one rule.
	 *
	 * @param rule the id of the rule
	 * @param applied the number of requests that the rule applied to
	 * @param rejected the number of requests that violated the rule, and were rejected
	 * @param shadowRejected the number of requests that violated the rule in shadow mode
	 * @param delayed the number of allowed requests that would have waited for permits
	 * @param share the share of the replayed requests that violated the rule, from 0 to 1
	 * @param keys the number of keys whose requests violated the rule, up to 100,000
	 * @param topKeys the keys with the most violations, in descending order
	 * @param timeline the violations over time
	 */
	public record RuleResult(String rule, long applied, long rejected, long shadowRejected, long delayed, double share,
			int keys, List<KeyResult> topKeys, Timeline timeline) {

		/**
		 * The number of requests that violated the rule.
		 * @return the number of requests, rejected or in shadow mode
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
	 * @param violations the number of requests that violated the rule
	 * @param first the time of the first violation
	 * @param last the time of the last violation
	 */
	public record KeyResult(String key, long violations, Instant first, Instant last) {

	}

	/**
	 * Numbers of requests over time.
	 *
	 * @param start the time at which the first interval begins
	 * @param interval the length of an interval
	 * @param counts the number of requests in each interval
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
	 * The requests that only one of two configurations rejects.
	 *
	 * @param added the number of requests that only the new rules reject
	 * @param addedShare the share of these requests, from 0 to 1
	 * @param addedBy the new rules that these requests violated; a request may violate
	 * several rules
	 * @param removed the number of requests that only the old rules reject
	 * @param removedShare the share of these requests, from 0 to 1
	 * @param removedBy the old rules that these requests violated
	 */
	public record Difference(long added, double addedShare, List<RuleDifference> addedBy, long removed,
			double removedShare, List<RuleDifference> removedBy) {

	}

	/**
	 * The requests that only one of two configurations rejects, by one of its rules.
	 *
	 * @param rule the id of the rule
	 * @param requests the number of these requests that violated the rule
	 * @param topKeys the keys with the most of these requests, in descending order
	 */
	public record RuleDifference(String rule, long requests, List<KeyResult> topKeys) {

	}

}

package io.tierlimit.replay;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.RuleDecision;
import io.tierlimit.Verdict;
import io.tierlimit.Verdict.Outcome;
import io.tierlimit.replay.ReplayReport.Difference;
import io.tierlimit.replay.ReplayReport.Log;
import io.tierlimit.replay.ReplayReport.Result;
import io.tierlimit.replay.ReplayReport.RuleDifference;
import io.tierlimit.replay.ReplayReport.RuleResult;
import org.jspecify.annotations.Nullable;

/**
 * Replays requests, and counts the decisions.
 */
final class ReplayStatistics {

	private final Side rules;

	private final @Nullable Side against;

	private long requests;

	private @Nullable Instant first;

	private @Nullable Instant last;

	private boolean wholeSeconds = true;

	private long notForApplication;

	private long withUser;

	private long alreadyRejected;

	ReplayStatistics(Replay rules, @Nullable Replay against) {
		this.rules = new Side(rules);
		this.against = (against != null) ? new Side(against) : null;
	}

	void add(LoggedRequest request) {
		Verdict verdict = this.rules.replay(request);
		Verdict other = (this.against != null) ? this.against.replay(request) : null;
		if (verdict == null && other == null) {
			this.notForApplication++;
			return;
		}
		count(request);
		if (this.against != null) {
			if (verdict != null && !verdict.allowed() && (other == null || other.allowed())) {
				this.rules.countAlone(verdict, request);
			}
			if (other != null && !other.allowed() && (verdict == null || verdict.allowed())) {
				this.against.countAlone(other, request);
			}
		}
	}

	private void count(LoggedRequest request) {
		this.requests++;
		Instant time = request.time();
		if (this.first == null) {
			this.first = time;
		}
		this.last = (this.last == null || time.isAfter(this.last)) ? time : this.last;
		this.wholeSeconds &= ReplayClock.ticks(time) % 1_000_000 == 0;
		this.withUser += (request.user() != null) ? 1 : 0;
		this.alreadyRejected += (request.status() != null && request.status() == 429) ? 1 : 0;
	}

	ReplayReport report(AccessLog log) {
		Side old = this.against;
		Log read = new Log(this.requests, this.first, this.last, this.wholeSeconds, log.unreadable(),
				log.unreadableExamples(), this.notForApplication, log.late(), this.withUser, this.alreadyRejected);
		Instant start = (this.first != null) ? this.first : Instant.EPOCH;
		Instant end = (this.last != null) ? this.last : start;
		return new ReplayReport(read, this.rules.result(this.requests, start, end),
				(old != null) ? old.result(this.requests, start, end) : null,
				(old != null)
						? new Difference(this.rules.alone, share(this.rules.alone, this.requests),
								this.rules.differences(), old.alone, share(old.alone, this.requests), old.differences())
						: null);
	}

	private static double share(long part, long all) {
		return (all == 0) ? 0 : (double) part / all;
	}

	/** The result of one configuration. */
	private static final class Side {

		private final Replay replay;

		private final Map<String, Counts> rules = new LinkedHashMap<>();

		private long rejected;

		private long denied;

		private long invalid;

		/** The number of requests that only this configuration rejects. */
		private long alone;

		Side(Replay replay) {
			this.replay = replay;
			replay.rules().forEach((rule) -> this.rules.put(rule, new Counts()));
		}

		@Nullable Verdict replay(LoggedRequest request) {
			Verdict verdict = this.replay.replay(request);
			if (verdict == null) {
				return null;
			}
			if (!verdict.allowed()) {
				this.rejected++;
				this.denied += (verdict.outcome() == Outcome.DENIED) ? 1 : 0;
				this.invalid += (verdict.outcome() == Outcome.INVALID) ? 1 : 0;
			}
			for (RuleDecision decision : verdict.decisions()) {
				counts(decision).add(decision, request.time());
			}
			return verdict;
		}

		void countAlone(Verdict verdict, LoggedRequest request) {
			this.alone++;
			for (RuleDecision decision : verdict.violated()) {
				counts(decision).alone.add(decision.key(), request.time());
			}
		}

		private Counts counts(RuleDecision decision) {
			return this.rules.computeIfAbsent(decision.rule(), (rule) -> new Counts());
		}

		Result result(long requests, Instant first, Instant last) {
			List<RuleResult> results = new ArrayList<>();
			this.rules.forEach((rule, counts) -> results.add(counts.result(rule, requests, first, last)));
			return new Result(this.rejected, share(this.rejected, requests), this.denied, this.invalid, results,
					this.replay.skipped(), this.replay.warnings());
		}

		List<RuleDifference> differences() {
			List<RuleDifference> differences = new ArrayList<>();
			this.rules.forEach((rule, counts) -> {
				if (counts.alone.total() > 0) {
					differences.add(new RuleDifference(rule, counts.alone.total(), counts.alone.top()));
				}
			});
			return differences;
		}

	}

	/** The counts of one rule. */
	private static final class Counts {

		private long applied;

		private long rejected;

		private long shadowRejected;

		private long delayed;

		private final KeyCounts keys = new KeyCounts();

		private final KeyCounts alone = new KeyCounts();

		private final TimelineCounts timeline = new TimelineCounts();

		void add(RuleDecision decision, Instant time) {
			this.applied++;
			switch (decision.outcome()) {
				case REJECTED -> this.rejected++;
				case SHADOW_REJECTED -> this.shadowRejected++;
				case DELAYED -> this.delayed++;
				default -> {
					// The request is allowed: the store in memory is always available.
				}
			}
			if (!decision.decision().allowed()) {
				this.keys.add(decision.key(), time);
				this.timeline.add(time);
			}
		}

		RuleResult result(String rule, long requests, Instant first, Instant last) {
			return new RuleResult(rule, this.applied, this.rejected, this.shadowRejected, this.delayed,
					share(this.rejected + this.shadowRejected, requests), this.keys.size(), this.keys.top(),
					this.timeline.result(first, last));
		}

	}

}

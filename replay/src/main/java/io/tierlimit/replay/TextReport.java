package io.tierlimit.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.tierlimit.replay.ReplayReport.Difference;
import io.tierlimit.replay.ReplayReport.KeyResult;
import io.tierlimit.replay.ReplayReport.Log;
import io.tierlimit.replay.ReplayReport.Result;
import io.tierlimit.replay.ReplayReport.RuleDifference;
import io.tierlimit.replay.ReplayReport.RuleResult;
import io.tierlimit.replay.ReplayReport.Timeline;

/**
 * A report as text for a terminal.
 */
final class TextReport {

	private static final int LONGEST_KEY = 60;

	private final ReplayReport report;

	private final String rules;

	private final String against;

	/** The characters of the plot, from 0 to the maximum. */
	private final String levels;

	private final List<String> lines = new ArrayList<>();

	/**
	 * Creates a report.
	 * @param report the report
	 * @param rules the name of the configuration
	 * @param against the name of the other configuration, or an empty string
	 * @param unicode whether block characters can be printed
	 */
	TextReport(ReplayReport report, String rules, String against, boolean unicode) {
		this.report = report;
		this.rules = Printable.of(rules, 200);
		this.against = Printable.of(against, 200);
		this.levels = unicode ? " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588" : " .:-=+*#@";
	}

	/** The lines. */
	List<String> lines() {
		addLog(this.report.log());
		add("");
		addResult(this.rules, this.report.rules());
		if (this.report.against() != null) {
			add("");
			addResult(this.against, this.report.against());
		}
		if (this.report.difference() != null) {
			addDifference(this.report.difference());
		}
		addPlot(this.report.rules().rules());
		addLimits(this.report.log());
		return List.copyOf(this.lines);
	}

	private void addLog(Log log) {
		add("%s%s", count(log.requests(), "request"),
				(log.requests() == 0) ? "" : " from " + log.first() + " to " + log.last());
		if (log.unreadable() > 0) {
			add("%s without a request:", count(log.unreadable(), "line"));
			log.unreadableExamples().forEach((example) -> add("  %s", example));
		}
		if (log.notForApplication() > 0) {
			add("%s not replayed: the path is not below the context path, or a server rejects it",
					count(log.notForApplication(), "request"));
		}
		if (log.late() > 0) {
			add("%s out of order by more than a minute, replayed at the time of the request before",
					count(log.late(), "request"));
		}
	}

	private void addResult(String name, Result result) {
		add("%s rejects %s (%s)", name, count(result.rejected(), "request"), percent(result.share()));
		if (result.denied() > 0) {
			add("  %s of them with 403: a rule requires a key that the caller lacks", number(result.denied()));
		}
		if (result.invalid() > 0) {
			add("  %s of them with 400: a value that a rule needs is not valid", number(result.invalid()));
		}
		int width = result.rules().stream().mapToInt((rule) -> rule.rule().length()).max().orElse(0);
		if (width > 0) {
			add("  %-" + Math.max(width, 4) + "s %13s %13s %9s %9s", "rule", "applied", "rejected", "share", "keys");
		}
		for (RuleResult rule : result.rules()) {
			add("  %-" + Math.max(width, 4) + "s %13s %13s %9s %9s%s", rule.rule(), number(rule.applied()),
					number(rule.violations()), percent(rule.share()), number(rule.keys()), remarks(rule));
			addKeys(rule.topKeys());
		}
		result.skipped()
			.forEach((rule) -> add("  not replayed: %s (%s)", rule.rule(), String.join("; ", rule.reasons())));
		result.warnings().forEach((warning) -> add("  warning: %s", Printable.of(warning, 1000)));
	}

	private static String remarks(RuleResult rule) {
		return ((rule.shadowRejected() > 0) ? "  (shadow: rejects nothing)" : "")
				+ ((rule.delayed() > 0) ? "  (" + number(rule.delayed()) + " delayed)" : "");
	}

	private void addKeys(List<KeyResult> keys) {
		for (KeyResult key : keys) {
			if (!key.key().isEmpty()) {
				add("    %s: %s, from %s to %s", Printable.of(key.key(), LONGEST_KEY), number(key.violations()),
						key.first(), key.last());
			}
		}
	}

	private void addDifference(Difference difference) {
		add("");
		addSide("the new rules", difference.added(), difference.addedShare(), difference.addedBy());
		addSide("the old rules", difference.removed(), difference.removedShare(), difference.removedBy());
	}

	private void addSide(String side, long requests, double share, List<RuleDifference> rules) {
		add("rejected by %s only: %s (%s)", side, count(requests, "request"), percent(share));
		for (RuleDifference rule : rules) {
			add("  %s: %s", rule.rule(), number(rule.requests()));
			addKeys(rule.topKeys());
		}
	}

	private void addPlot(List<RuleResult> rules) {
		List<RuleResult> plotted = rules.stream().filter((rule) -> rule.violations() > 0).toList();
		if (plotted.isEmpty()) {
			return;
		}
		Timeline timeline = plotted.get(0).timeline();
		int width = plotted.stream().mapToInt((rule) -> rule.rule().length()).max().orElse(0);
		add("");
		add("rejections over time from %s, %s for each column", timeline.start(), duration(timeline.interval()));
		for (RuleResult rule : plotted) {
			long most = rule.timeline().counts().stream().mapToLong(Long::longValue).max().orElse(1);
			StringBuilder row = new StringBuilder();
			rule.timeline().counts().forEach((value) -> row.append(level(value, most)));
			add("  %-" + width + "s |%s| at most %s", rule.rule(), row, number(most));
		}
	}

	/** The character for a value. Any number above 0 is visible. */
	private char level(long value, long most) {
		int highest = this.levels.length() - 1;
		return this.levels.charAt((value == 0) ? 0 : (int) Math.max(1, Math.round((double) value * highest / most)));
	}

	/** Adds the facts that the log does not show. */
	private void addLimits(Log log) {
		add("");
		add("What the log does not show:");
		if (log.wholeSeconds() && log.requests() > 0) {
			add("  All times are whole seconds. Requests of one second are replayed at the same time, so rules with a "
					+ "small burst may reject more than in an application.");
		}
		if (log.alreadyRejected() > 0) {
			add("  %s answered with 429 when the log was written. The replay assumes the status 200 for them.",
					count(log.alreadyRejected(), "request was", "requests were"));
		}
		add("  Users are known for %s of the requests; the others are replayed as anonymous.",
				percent((log.requests() == 0) ? 0 : (double) log.withUser() / log.requests()));
		add("  Rules and annotations in code, methods, refunds and resets by code, bodies, and how clients react "
				+ "to rejections.");
	}

	private void add(String format, Object... arguments) {
		this.lines.add((arguments.length == 0) ? format : String.format(Locale.ROOT, format, arguments));
	}

	private static String count(long number, String noun) {
		return count(number, noun, noun + "s");
	}

	private static String count(long number, String one, String several) {
		return number(number) + " " + ((number == 1) ? one : several);
	}

	private static String number(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

	static String percent(double share) {
		return String.format(Locale.ROOT, (share > 0 && share < 0.0001) ? "%.4f%%" : "%.2f%%", share * 100);
	}

	private static String duration(Duration duration) {
		return duration.toString().substring(2).toLowerCase(Locale.ROOT);
	}

}

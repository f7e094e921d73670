package io.tierlimit.replay;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.tierlimit.replay.ReplayReport.Result;
import io.tierlimit.replay.ReplayReport.RuleResult;
import io.tierlimit.replay.ReplayReport.Timeline;
import org.jspecify.annotations.Nullable;

/**
 * Rejections over time as an SVG image or an HTML page: one chart for each rule with
 * rejections, with a bar for each interval.
 */
final class Plot {

	private static final int WIDTH = 720;

	private static final int LEFT = 60;

	private static final int HEIGHT = 90;

	private static final int ROW = 140;

	private static final String STYLE = "text{font:12px sans-serif;fill:currentColor}"
			+ "svg{color:#222;background:#fff}.new{fill:#3f51b5}.old{fill:#9e9e9e}line{stroke:currentColor}"
			+ "@media(prefers-color-scheme:dark){svg{color:#ddd;background:#1e1e1e}.new{fill:#9fa8da}.old{fill:#757575}}";

	private final StringBuilder image = new StringBuilder();

	private int charts;

	private Plot() {
	}

	/**
	 * Draws a report.
	 * @param report the report
	 * @param rules the name of the configuration
	 * @param against the name of the other configuration, or an empty string
	 * @return an SVG document
	 */
	static String svg(ReplayReport report, String rules, String against) {
		Plot plot = new Plot();
		plot.add(report.rules(), rules, "new");
		Result old = report.against();
		if (old != null) {
			plot.add(old, against, "old");
		}
		int height = Math.max(1, plot.charts) * ROW + 20;
		String none = (plot.charts == 0) ? text(LEFT, 40, "No request was rejected.") : "";
		return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n<style>%s</style>\n%s%s</svg>\n"
			.formatted(LEFT + WIDTH + 20, height, "Rejections over time", STYLE, plot.image, none);
	}

	/** Draws the same charts in an HTML page. */
	static String html(ReplayReport report, String rules, String against) {
		return "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Rejections over time</title>\n"
				+ svg(report, rules, against) + "</html>\n";
	}

	private void add(Result result, String configuration, @Nullable String type) {
		for (RuleResult rule : result.rules()) {
			if (rule.violations() > 0) {
				addChart(rule, configuration, type);
			}
		}
	}

	private void addChart(RuleResult rule, String configuration, @Nullable String type) {
		Timeline timeline = rule.timeline();
		List<Long> counts = timeline.counts();
		long most = counts.stream().mapToLong(Long::longValue).max().orElse(1);
		int top = this.charts * ROW + 30;
		int bottom = top + HEIGHT;
		double step = (double) WIDTH / counts.size();
		this.image.append(text(LEFT, top - 10, "%s, %s: %,d rejections of %,d requests".formatted(rule.rule(),
				configuration, rule.violations(), rule.applied())));
		for (int i = 0; i < counts.size(); i++) {
			double height = (double) counts.get(i) * HEIGHT / most;
			if (height > 0) {
				this.image.append(String.format(Locale.ROOT,
						"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: %,d</title></rect>%n",
						type, LEFT + i * step, bottom - height, Math.max(1, step - 1), height,
						timeline.start().plus(timeline.interval().multipliedBy(i)), counts.get(i)));
			}
		}
		Duration length = timeline.interval().multipliedBy(counts.size());
		this.image
			.append("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n".formatted(LEFT, bottom, LEFT + WIDTH, bottom))
			.append(text(4, top + 10, "%,d".formatted(most)))
			.append(text(LEFT, bottom + 15, timeline.start().toString()))
			.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n".formatted(LEFT + WIDTH, bottom + 15,
					timeline.start().plus(length)));
		this.charts++;
	}

	private static String text(int left, int bottom, String text) {
		String escaped = Printable.of(text, 200).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
		return "<text x=\"%d\" y=\"%d\">%s</text>\n".formatted(left, bottom, escaped);
	}

}

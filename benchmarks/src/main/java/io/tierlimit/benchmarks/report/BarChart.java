package io.tierlimit.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Horizontal bars in groups, each with its value, as an SVG that follows the reader's
 * light or dark scheme. Tierlimit's own bars are coloured. The scale begins at 0; a bar
 * that is longer than the scale ends there with an arrow.
 */
public final class BarChart {

	private static final int LABELS = 310;

	private static final int BARS = 400;

	private static final int ROW = 22;

	private static final String STYLE = """
			<style>
			text { font: 13px sans-serif; fill: #1f2328 }
			.title { font-weight: bold }
			.bar { fill: #8c959f }
			.own { fill: #3f51b5 }
			.mark { stroke: #cf222e; stroke-dasharray: 4 3 }
			@media (prefers-color-scheme: dark) {
			text { fill: #e6edf3 }
			.bar { fill: #6e7681 }
			.own { fill: #8c9eff }
			.mark { stroke: #ff7b72 }
			}
			</style>
			""";

	private final StringBuilder content = new StringBuilder();

	private final List<String> names = new ArrayList<>();

	private int height = 8;

	/**
	 * Adds a group.
	 * @param title the title above its bars
	 */
	public void group(String title) {
		this.height += ROW;
		text(0, title, "title");
		this.names.add(title);
		this.height += 6;
	}

	/**
	 * Adds a bar.
	 * @param label what was measured
	 * @param value its value, 0 or more
	 * @param shown the value as it is displayed
	 * @param scale the value at the end of the scale
	 * @param mark a value of this scale that is marked with a line; 0 for none
	 */
	public void bar(String label, double value, String shown, double scale, double mark) {
		boolean over = value > scale;
		long width = Math.round(BARS * Math.min(1, value / scale));
		String style = label.startsWith("Tierlimit") ? "own" : "bar";
		this.content
			.append(String.format(Locale.ROOT, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"16\"/>%n",
					style, LABELS, this.height, width));
		if (mark > 0) {
			long x = LABELS + Math.round(BARS * mark / scale);
			this.content
				.append(String.format(Locale.ROOT, "<line class=\"mark\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>%n",
						x, x, this.height - 3, this.height + ROW - 3));
		}
		this.height += 13;
		text(12, label, "label");
		text(LABELS + width + 6, over ? "\u2192 " + shown : shown, "value");
		this.height += ROW - 13;
	}

	private void text(long x, String text, String style) {
		this.content.append(String.format(Locale.ROOT, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n", style, x,
				this.height, text.replace("&", "&amp;").replace("<", "&lt;")));
	}

	String svg() {
		return String.format(Locale.ROOT,
				"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 760 %d\">%n",
				String.join("; ", this.names).replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;"),
				this.height + 8) + STYLE + this.content + "</svg>\n";
	}

}

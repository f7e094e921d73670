package io.tierlimit.limit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.tierlimit.limit.PlottedTraffic.Phase;

/**
 * The decisions of a limit on {@link PlottedTraffic}, drawn as SVG: a square for every
 * request, filled if it was allowed, and a line with the number of requests that were
 * allowed within the last minute. All plots have the same scale, so that they can be
 * compared. Coordinates are whole numbers, so that they are the same on every machine.
 */
final class AlgorithmPlot {

	private static final int WIDTH = 784;

	private static final int HEIGHT = 384;

	private static final int LEFT = 56;

	/** Each square is a request, each column five seconds. */
	private static final int PITCH = 7;

	private static final long COLUMN = 5_000_000;

	private static final int RIGHT = LEFT + (int) (PlottedTraffic.LENGTH.toSeconds() / 5) * PITCH;

	private static final int RULER = 62;

	private static final int FLOOR = 220;

	private static final int ZERO = 352;

	private static final int PER_REQUEST = 4;

	private static final long MINUTE = 60_000_000;

	private static final String STYLE = """
			<style>
			text { font: 12px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #59636e }
			.page { fill: #ffffff }
			.heading { font-size: 15px; font-weight: 600; fill: #1f2328 }
			.value { fill: #1f2328 }
			.peak { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
			.end { text-anchor: end }
			.middle { text-anchor: middle }
			.grid { fill: none; stroke: #e6e9ed }
			.floor { fill: none; stroke: #818b98 }
			.rate { fill: none; stroke: #59636e; stroke-dasharray: 2 4 }
			.passed { fill: #0969da }
			.rejected { fill: none; stroke: #818b98 }
			.area { fill: #ddf0ff }
			.line { fill: none; stroke: #0969da; stroke-width: 1.5 }
			@media (prefers-color-scheme: dark) {
			text { fill: #9198a1 }
			.page { fill: #0d1117 }
			.heading, .value { fill: #f0f6fc }
			.peak { stroke: #0d1117 }
			.grid { stroke: #262c36 }
			.floor { stroke: #656c76 }
			.rate { stroke: #9198a1 }
			.passed { fill: #4493f8 }
			.rejected { stroke: #7d8590 }
			.area { fill: #11294a }
			.line { stroke: #4493f8 }
			}
			</style>
			""";

	private final String heading;

	private final List<Long> passed = new ArrayList<>();

	private final List<Long> rejected = new ArrayList<>();

	private final StringBuilder svg = new StringBuilder();

	private AlgorithmPlot(String heading, Limit limit) {
		this.heading = heading;
		BucketState bucket = new BucketState(0);
		for (long moment : PlottedTraffic.moments()) {
			(limit.acquire(bucket, 1, moment).allowed() ? this.passed : this.rejected).add(moment);
		}
	}

	static String draw(String heading, Limit limit) {
		AlgorithmPlot plot = new AlgorithmPlot(heading, limit);
		plot.drawAll();
		return plot.svg.toString();
	}

	private void drawAll() {
		Curve curve = new Curve(this.passed);
		int requests = this.passed.size() + this.rejected.size();
		add("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ", WIDTH, " ", HEIGHT, "' width='", WIDTH,
				"' height='", HEIGHT, "' role='img' aria-labelledby='title desc'>");
		add("<title id='title'>", this.heading, "</title>");
		add("<desc id='desc'>Of ", requests, " requests in ", PlottedTraffic.LENGTH.toMinutes(), " minutes ",
				this.passed.size(), " are allowed, at most ", curve.peak, " within one minute.</desc>");
		this.svg.append(STYLE);
		add("<rect class='page' width='", WIDTH, "' height='", HEIGHT, "'/>");
		text("heading", LEFT, 26, this.heading);
		text("value end", RIGHT, 26, this.passed.size() + " of " + requests + " requests allowed");
		drawMinutes();
		PlottedTraffic.PHASES.forEach(this::drawPhase);
		drawRequests();
		drawCurve(curve);
		add("</svg>");
	}

	private void drawMinutes() {
		for (long minute = 0; minute <= PlottedTraffic.LENGTH.toMinutes(); minute++) {
			int x = x(minute * MINUTE);
			add("<path class='grid' d='M", x, ".5 ", RULER + 6, "V", FLOOR, "M", x, ".5 ", y(20), "V", ZERO, "'/>");
			text("middle", x, ZERO + 18, (minute == PlottedTraffic.LENGTH.toMinutes()) ? minute + " min" : "" + minute);
		}
	}

	private void drawPhase(Phase phase) {
		int from = x(ticks(phase.from()));
		int to = Math.max(x(ticks(phase.to())), from + PITCH) - 2;
		text("middle", (from + to) / 2, RULER - 8, phase.label());
		drawLevel("floor", from, RULER, to);
	}

	private void drawRequests() {
		int[] heights = new int[(RIGHT - LEFT) / PITCH];
		String filled = stack(this.passed, heights, "", "h5v5h-5z");
		int herd = (int) (ticks(PlottedTraffic.PHASES.get(2).from()) / COLUMN);
		int through = heights[herd];
		String hollow = stack(this.rejected, heights, ".5", "h4v4h-4z");
		add("<path class='passed' d='", filled, "'/>");
		add("<path class='rejected' d='", hollow, "'/>");
		drawLevel("floor", LEFT, FLOOR, RIGHT);
		// Next to the column that shows both kinds best.
		drawHerdLabel("allowed", herd, 0, through);
		drawHerdLabel("rejected", herd, through, heights[herd]);
	}

	private static String stack(List<Long> moments, int[] heights, String half, String square) {
		StringBuilder path = new StringBuilder();
		for (long moment : moments) {
			int column = (int) (moment / COLUMN);
			heights[column]++;
			path.append('M').append(LEFT + column * PITCH).append(half);
			path.append(' ').append(FLOOR - heights[column] * PITCH).append(half).append(square);
		}
		return path.toString();
	}

	private void drawHerdLabel(String label, int column, int from, int to) {
		if (to > from) {
			int middle = FLOOR - (from + to) * PITCH / 2;
			text("value end", LEFT + column * PITCH - 6, Math.min(middle + 4, FLOOR - 3), (to - from) + " " + label);
		}
	}

	private void drawCurve(Curve curve) {
		text("", LEFT, FLOOR + 26, "allowed within the last minute");
		add("<path class='area' d='", curve.path, "V", ZERO, "H", LEFT, "Z'/>");
		drawLevel("grid", LEFT, y(20), RIGHT);
		drawLevel("rate", LEFT, y(10), RIGHT);
		drawLevel("floor", LEFT, ZERO, RIGHT);
		for (int requests = 0; requests <= 20; requests += 10) {
			text("end", LEFT - 8, y(requests) + 4, "" + requests);
		}
		text("", RIGHT + 5, y(10) + 4, "rate");
		add("<path class='line' d='", curve.path, "'/>");
		int x = x(curve.peakAt);
		add("<circle class='passed' cx='", x, "' cy='", y(curve.peak), "' r='3'/>");
		text("value peak middle", x, y(curve.peak) - 8, "at most " + curve.peak);
	}

	private void drawLevel(String style, int from, int y, int to) {
		add("<path class='", style, "' d='M", from, " ", y, ".5H", to, "'/>");
	}

	private void text(String style, int x, int y, String text) {
		add("<text class='", style, "' x='", x, "' y='", y, "'>", text, "</text>");
	}

	/** Not formatted, because some locales have other digits. */
	private void add(Object... parts) {
		StringBuilder line = new StringBuilder();
		for (Object part : parts) {
			line.append(part);
		}
		this.svg.append(line.toString().replace('\'', '"')).append('\n');
	}

	private static long ticks(Duration duration) {
		return duration.toNanos() / 1000;
	}

	private static int x(long moment) {
		return LEFT + (int) (moment * PITCH / COLUMN);
	}

	private static int y(int requests) {
		return ZERO - requests * PER_REQUEST;
	}

	/**
	 * The number of requests that were allowed within the last minute, at each time.
	 */
	private static final class Curve {

		private final StringBuilder path = new StringBuilder("M" + LEFT + " " + ZERO);

		private int peak;

		private long peakAt;

		Curve(List<Long> passed) {
			Deque<Long> counted = new ArrayDeque<>();
			for (long moment : passed) {
				removeOlder(counted, moment);
				counted.add(moment);
				step(moment, counted.size());
			}
			removeOlder(counted, ticks(PlottedTraffic.LENGTH));
			this.path.append('H').append(RIGHT);
		}

		private void removeOlder(Deque<Long> counted, long now) {
			while (!counted.isEmpty() && counted.getFirst() + MINUTE <= now) {
				long moment = counted.removeFirst() + MINUTE;
				step(moment, counted.size());
			}
		}

		private void step(long moment, int count) {
			if (count > this.peak) {
				this.peak = count;
				this.peakAt = moment;
			}
			this.path.append('H').append(x(moment)).append('V').append(y(count));
		}

	}

}

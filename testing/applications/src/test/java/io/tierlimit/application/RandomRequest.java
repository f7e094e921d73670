package io.tierlimit.application;

import java.util.List;
import java.util.Random;

/**
 * A request to {@link SettlingApplication} that ends in a random way, and reports random
 * costs.
 *
 * @param target the path with all parameters
 * @param end how the response ends
 * @param tokens the cost under the rule {@code tokens}
 * @param metered the cost under the rule {@code metered}
 */
record RandomRequest(String target, End end, long tokens, long metered) {

	static final long ESTIMATE = 10;

	/** Requests whose responses are complete. */
	private static final List<String> COMPLETE = List.of("/status?status=200", "/status?status=404",
			"/status?status=503", "/error-page?status=500", "/exception?", "/io-exception?", "/uncommitted?status=200",
			"/callable?status=200", "/callable/exception?", "/deferred?status=200", "/future?status=503",
			"/future/exception?", "/rounds?status=200", "/streaming?", "/events/complete?", "/forwarding?status=200",
			"/including?status=200", "/early/deferred?status=200", "/timeout?");

	/** Requests that the server ends early. */
	private static final List<String> EARLY = List.of("/committed?status=200", "/streaming/exception?",
			"/failing-late?status=200");

	/** Requests whose responses never end. */
	private static final List<String> ENDLESS = List.of("/leaving?", "/leaving/async?", "/leaving/servlet?",
			"/leaving/quietly?", "/events?");

	/** Creates a request with some parameters of the caller. */
	static RandomRequest create(String parameters, Random random) {
		Cost cost = Cost.random(random);
		int end = random.nextInt(10);
		String all = "&" + parameters + cost.parameters();
		if (end < 7) {
			return new RandomRequest(any(COMPLETE, random) + all, End.COMPLETE, cost.tokens(), cost.reported());
		}
		long tokens = Math.max(cost.tokens(), ESTIMATE);
		return (end < 8) ? new RandomRequest(any(EARLY, random) + all, End.EARLY, tokens, cost.reported())
				: new RandomRequest(any(ENDLESS, random) + all, End.ENDLESS, tokens, cost.reported());
	}

	private static String any(List<String> all, Random random) {
		return all.get(random.nextInt(all.size()));
	}

	/**
	 * Sends the request on a new connection. The client leaves a response that never
	 * ends.
	 * @return the status of the response
	 */
	int send(RawHttp raw) {
		String line = "GET " + this.target + " HTTP/1.1";
		return (this.end == End.ENDLESS) ? raw.statusOf(line, "") : raw.send(line, "", "").status();
	}

	/**
	 * How a response ends.
	 */
	enum End {

		COMPLETE, EARLY, ENDLESS

	}

	/**
	 * What a request reports.
	 *
	 * @param parameters the parameters with the reports
	 * @param tokens the cost that its complete response reports
	 * @param reported the cost that code reports, or the estimate
	 */
	private record Cost(String parameters, long tokens, long reported) {

		static Cost random(Random random) {
			long tokens = random.nextInt(random.nextInt(5) == 0 ? 100 : 15);
			long metered = random.nextInt(25);
			long settled = random.nextInt(25);
			return switch (random.nextInt(5)) {
				case 0 -> new Cost("", ESTIMATE, ESTIMATE);
				case 1 -> new Cost("&metered=" + metered, ESTIMATE, metered);
				case 2 -> new Cost("&tokens=" + tokens + "&settled=" + settled, tokens, settled);
				case 3 -> new Cost("&tokens=" + tokens + "&metered=" + metered + "&settled=" + settled, tokens,
						Math.max(metered, settled));
				default -> new Cost("&tokens=" + tokens, tokens, ESTIMATE);
			};
		}

	}

}

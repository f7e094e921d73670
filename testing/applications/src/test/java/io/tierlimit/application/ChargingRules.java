package io.tierlimit.application;

import java.util.Arrays;

/**
 * Rules that charge or reset by the outcome of a request.
 */
final class ChargingRules {

	private static final String PATHS = "paths=/status,/error-page,/gate,/callable,/deferred,/timeout,/exception,"
			+ "/io-exception,/callable/exception,/failing-late,/committed,/uncommitted,/leaving,/leaving/async,/leaving/servlet,/rounds,/unfinished";

	/** The number of guesses that the slow rule allows each second. */
	static final int LATE_RATE = 5;

	/** The name of a rule, and its properties. */
	private static final String RULES = """
			unauthorized %1$s key=param('k') rate=1/d burst=100 charge-on=401,403
			broken       %1$s key=param('k') rate=1/d burst=100 charge-on=5xx
			all          %1$s key=param('k') rate=1/d burst=100 reset-on=200
			shadow       %1$s key=param('k') rate=1/d burst=100 mode=shadow charge-on=401
			guesses      paths=/gate key=param('k') rate=5/d charge-on=401 reset-on=200
			account      paths=/login methods=POST key=param('username')?.trim()?.toLowerCase() on-missing-key=deny rate=5/d \
			charge-on=authentication-failure reset-on=authentication-success
			address      paths=/login,/mine scope=ip rate=1/d burst=100 charge-on=authentication-failure
			status       paths=/signin,/slashed methods=POST key=param('username') rate=5/d charge-on=401 reset-on=204
			elsewhere    paths=/elsewhere/**,/callable/login key=param('username') rate=1/d burst=100 \
			charge-on=authentication-failure reset-on=authentication-success
			picky        paths=/picky/** key=param('k') rate=1/d burst=100 charge-on=401,authentication-failure
			late         paths=/late/** key=param('k') rate=%2$d/s charge-on=401
			any-method   paths=/posted,/hello.txt key=param('k') rate=1/d burst=100 charge-on=401 reset-on=200
			"""
		.formatted(PATHS, LATE_RATE);

	private ChargingRules() {
	}

	static String[] all() {
		return RULES.lines()
			.map((line) -> line.split(" +"))
			.flatMap((rule) -> Arrays.stream(rule)
				.skip(1)
				.map((property) -> "tierlimit.rules." + rule[0] + "." + property))
			.toArray(String[]::new);
	}

}

package io.tierlimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.autoconfigure.TierlimitProperties.Hold;
import io.tierlimit.rule.Rule;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Finds what is odd about rules that hold requests until their permits come, in a servlet
 * application.
 */
final class OddWaits {

	private static final String PATIENCE = "spring.mvc.async.request-timeout";

	/** How long servers let an asynchronous request take unless they are told. */
	private static final Duration USUAL_PATIENCE = Duration.ofSeconds(30);

	private static final List<String> THREADS = List.of("server.tomcat.threads.max", "server.jetty.threads.max");

	private OddWaits() {
	}

	/**
	 * Finds what is odd.
	 * @param rules the rules, and variants of them; shadows hold nobody
	 */
	static List<String> find(List<Rule> rules, TierlimitProperties.Web web, Environment environment) {
		List<Rule> holding = rules.stream()
			.filter((rule) -> !rule.isShadow() && !rule.reservations().maxWait().isZero())
			.toList();
		List<String> odd = new ArrayList<>();
		if (!holding.isEmpty()) {
			Binder properties = Binder.get(environment);
			findLongWaits(holding, properties, odd);
			if (web.maxWaiting() == 0) {
				odd.add("Nobody is held until his permits come, whatever a max-wait says: tierlimit.web.max-waiting is 0");
			}
			else if (web.hold() == Hold.PARK
					&& !properties.bind("spring.threads.virtual.enabled", Boolean.class).orElse(false)) {
				findParkedThreads(web.maxWaiting(), properties, odd);
			}
		}
		return odd;
	}

	private static void findLongWaits(List<Rule> holding, Binder properties, List<String> odd) {
		Duration patience = properties.bind(PATIENCE, Duration.class).orElse(USUAL_PATIENCE);
		for (Rule rule : holding) {
			Duration wait = rule.reservations().maxWait();
			if (patience.compareTo(Duration.ZERO) > 0 && wait.compareTo(patience) > 0) {
				odd.add("Rule '" + rule.id() + "' holds requests for up to " + wait
						+ ", but callers are hardly there any more after " + patience + " (" + PATIENCE
						+ "): lower its max-wait");
			}
		}
	}

	private static void findParkedThreads(int maxWaiting, Binder properties, List<String> odd) {
		for (String property : THREADS) {
			properties.bind(property, Integer.class)
				.ifBound((threads) -> warnOfParkedThreads(maxWaiting, property, threads, odd));
		}
	}

	private static void warnOfParkedThreads(int maxWaiting, String property, int threads, List<String> odd) {
		if (threads > 0 && maxWaiting >= threads) {
			odd.add("Requests that are held can take all threads of the server, and stop all others: "
					+ "tierlimit.web.max-waiting is " + maxWaiting + ", and " + property + " is " + threads
					+ ". Lower the one, raise the other, or set tierlimit.web.hold to dispatch");
		}
	}

}

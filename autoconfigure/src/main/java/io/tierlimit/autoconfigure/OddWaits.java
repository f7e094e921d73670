package io.tierlimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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

}

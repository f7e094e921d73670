package io.tierlimit.autoconfigure.rules;

import java.time.Duration;

import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.KeyHash;
import io.tierlimit.limit.Rate;
import io.tierlimit.web.header.RetryAfterJitter;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Notes what is wrong with settings that are no rules.
 */
final class SettingsCheck {

	private final PropertyOrigins places;

	private final Problems problems;

	SettingsCheck(PropertyOrigins places, Problems problems) {
		this.places = places;
		this.problems = problems;
	}

	void check(TierlimitProperties properties) {
		String secret = properties.keys().secret();
		if (secret != null && secret.length() < KeyHash.SHORTEST_SECRET) {
			add("The secret for keys needs " + KeyHash.SHORTEST_SECRET + " characters or more but has "
					+ secret.length(), "Correct or remove", "tierlimit.keys.secret");
		}
		String userKey = properties.user().key();
		if (userKey != null) {
			attempt("tierlimit.user.key", () -> CallerExpression.parseOfPrincipal(userKey));
		}
		checkRejections(properties.rejections());
		if (properties.web().maxWaiting() < 0) {
			add("No fewer than 0 requests can wait, but " + properties.web().maxWaiting() + " should", "Correct",
					"tierlimit.web.max-waiting");
		}
		attempt("tierlimit.headers.retry-after-jitter",
				() -> RetryAfterJitter.parse(properties.headers().retryAfterJitter()));
		new ClientIpCheck(this.places, this.problems).check(properties.clientIp());
	}

	/** Reports a filter that is not on its own side of Spring Security's. */
	void check(FilterOrders orders) {
		if (orders.before() >= orders.security()) {
			add("tierlimit.web.order is " + orders.before() + ", which is not before Spring Security's filter at "
					+ orders.security(), "Raise spring.security.filter.order or lower", "tierlimit.web.order");
		}
		if (orders.behind() <= orders.security()) {
			add("tierlimit.web.authenticated-order is " + orders.behind()
					+ ", which is not behind Spring Security's filter at " + orders.security(),
					"Lower spring.security.filter.order or raise", "tierlimit.web.authenticated-order");
		}
	}

	private void checkRejections(TierlimitProperties.Rejections rejections) {
		if (rejections.interval().isNegative() || rejections.interval().compareTo(Duration.ofDays(1)) > 0) {
			add("The pause between two rejections that are told of a bucket is 1 day at most, and not negative, but is "
					+ rejections.interval(), "Correct", "tierlimit.rejections.interval");
		}
		attempt("tierlimit.rejections.rate", () -> Rate.parse(rejections.rate()));
	}

	/** Reads a text, and notes what is wrong with it. */
	private void attempt(String property, Runnable reading) {
		try {
			reading.run();
		}
		catch (IllegalArgumentException ex) {
			add(String.valueOf(ex.getMessage()), "Correct", property);
		}
	}

	private void add(String problem, String cure, String property) {
		this.problems.add(problem, cure, this.places.find(ConfigurationPropertyName.of(property)));
	}

}

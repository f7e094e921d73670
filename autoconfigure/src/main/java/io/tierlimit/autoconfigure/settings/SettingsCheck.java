package io.tierlimit.autoconfigure.settings;

import java.time.Duration;
import java.util.regex.Pattern;

import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.KeyHash;
import io.tierlimit.limit.Rate;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.web.header.RetryAfterJitter;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Checks the settings other than rules and the store.
 */
final class SettingsCheck {

	private static final Pattern PLAIN_PATH = Pattern.compile("(/\\.?[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+");

	private final PropertyOrigins places;

	private final Problems problems;

	SettingsCheck(PropertyOrigins places, Problems problems) {
		this.places = places;
		this.problems = problems;
	}

	void check(TierlimitProperties properties) {
		String secret = properties.keys().secret();
		if (secret != null && secret.length() < KeyHash.MIN_SECRET_LENGTH) {
			add("tierlimit.keys.secret must have at least " + KeyHash.MIN_SECRET_LENGTH + " characters (has "
					+ secret.length() + ")", "Correct or remove", "tierlimit.keys.secret");
		}
		String userKey = properties.user().key();
		if (userKey != null) {
			attempt("tierlimit.user.key", () -> CallerExpression.parseOfPrincipal(userKey));
		}
		checkRejections(properties.rejections());
		checkAudit(properties.audit().jdbc());
		checkOffenders(properties.offenders());
		Duration interval = properties.reload().watchInterval();
		if (interval.compareTo(Duration.ofSeconds(1)) < 0 || interval.compareTo(Duration.ofDays(1)) > 0) {
			invalid("tierlimit.reload.watch-interval", "must be from 1s to 1d", interval);
		}
		checkRefresh(properties.jdbc().refresh());
		checkQueryTimeout(properties.jdbc().queryTimeout());
		checkPlanTable(properties.plan().jdbc());
		if (properties.web().maxWaiting() < 0) {
			invalid("tierlimit.web.max-waiting", "must not be negative", properties.web().maxWaiting());
		}
		String limitsPath = properties.web().limitsPath();
		if (limitsPath != null && !PLAIN_PATH.matcher(limitsPath).matches()) {
			invalid("tierlimit.web.limits-path",
					"must begin with a slash, not end with one, and have no wildcards, variables or encoded characters, such as /limits",
					limitsPath);
		}
		attempt("tierlimit.headers.retry-after-jitter",
				() -> RetryAfterJitter.parse(properties.headers().retryAfterJitter()));
		new ClientIpCheck(this.places, this.problems).check(properties.clientIp());
	}

	/** Reports a filter that is on the wrong side of Spring Security's filter. */
	void check(FilterOrders orders) {
		if (orders.before() >= orders.security()) {
			add("tierlimit.web.order must be below " + orders.security()
					+ ", the order of Spring Security's filter (was " + orders.before() + ")",
					"Lower {}, or raise spring.security.filter.order", "tierlimit.web.order");
		}
		if (orders.after() <= orders.security()) {
			add("tierlimit.web.authenticated-order must be above " + orders.security()
					+ ", the order of Spring Security's filter (was " + orders.after() + ")",
					"Raise {}, or lower spring.security.filter.order", "tierlimit.web.authenticated-order");
		}
	}

	private void checkRejections(TierlimitProperties.Rejections rejections) {
		if (rejections.interval().isNegative() || rejections.interval().compareTo(Duration.ofDays(1)) > 0) {
			invalid("tierlimit.rejections.interval", "must be from 0s to 1d", rejections.interval());
		}
		attempt("tierlimit.rejections.rate", () -> Rate.parse(rejections.rate()));
	}

	private void checkAudit(TierlimitProperties.AuditJdbc audit) {
		if (audit.batchSize() < 1 || audit.batchSize() > 10_000) {
			invalid("tierlimit.audit.jdbc.batch-size", "must be from 1 to 10000", audit.batchSize());
		}
		if (audit.interval().compareTo(Duration.ofMillis(1)) < 0
				|| audit.interval().compareTo(Duration.ofDays(1)) > 0) {
			invalid("tierlimit.audit.jdbc.interval", "must be from 1ms to 1d", audit.interval());
		}
		if (audit.queueCapacity() < 1) {
			invalid("tierlimit.audit.jdbc.queue-capacity", "must be at least 1", audit.queueCapacity());
		}
		if (audit.retention().isNegative() || audit.retention().compareTo(Duration.ofDays(36_500)) > 0) {
			invalid("tierlimit.audit.jdbc.retention", "must be from 0s to 36500d", audit.retention());
		}
	}

	private void checkOffenders(TierlimitProperties.Offenders offenders) {
		if (offenders.maxKeys() < 1 || offenders.maxKeys() > 1000) {
			invalid("tierlimit.offenders.max-keys", "must be from 1 to 1000", offenders.maxKeys());
		}
		if (offenders.window().compareTo(Duration.ofSeconds(1)) < 0
				|| offenders.window().compareTo(Duration.ofDays(365)) > 0) {
			invalid("tierlimit.offenders.window", "must be from 1s to 365d", offenders.window());
		}
	}

	private void checkRefresh(Duration refresh) {
		if (refresh.compareTo(Duration.ofMillis(1)) < 0 || refresh.compareTo(Duration.ofDays(1)) > 0) {
			invalid("tierlimit.jdbc.refresh", "must be from 1ms to 1d", refresh);
		}
	}

	private void checkQueryTimeout(Duration timeout) {
		if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
			invalid("tierlimit.jdbc.query-timeout", "must be from 1s to 1h", timeout);
		}
	}

	private void checkPlanTable(TierlimitProperties.PlanJdbc plans) {
		if (plans.expiry().compareTo(Duration.ofMillis(1)) < 0 || plans.expiry().compareTo(Duration.ofDays(1)) > 0) {
			invalid("tierlimit.plan.jdbc.expiry", "must be from 1ms to 1d", plans.expiry());
		}
		if (plans.maxUsers() < 1 || plans.maxUsers() > 100_000_000) {
			invalid("tierlimit.plan.jdbc.max-users", "must be from 1 to 100000000", plans.maxUsers());
		}
	}

	/** Reads a value, and reports it if it is not valid. */
	private void attempt(String property, Runnable reading) {
		this.places.attempt(ConfigurationPropertyName.of(property), reading, this.problems);
	}

	private void invalid(String property, String requirement, Object value) {
		this.places.addInvalid(ConfigurationPropertyName.of(property), requirement, value, this.problems);
	}

	private void add(String problem, String fix, String property) {
		this.problems.add(problem, fix, this.places.find(ConfigurationPropertyName.of(property)));
	}

}

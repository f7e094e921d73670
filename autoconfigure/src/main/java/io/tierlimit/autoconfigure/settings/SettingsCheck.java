package io.tierlimit.autoconfigure.settings;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.tierlimit.address.IpNetwork;
import io.tierlimit.autoconfigure.environment.PropertyNames;
import io.tierlimit.autoconfigure.environment.PropertyOrigins;
import io.tierlimit.autoconfigure.environment.UnknownProperties;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.ExpressionFact;
import io.tierlimit.key.ExpressionPlanResolver;
import io.tierlimit.key.ExpressionUse;
import io.tierlimit.key.KeyHash;
import io.tierlimit.rule.reader.Percentage;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.proxy.ClientAddresses;
import io.tierlimit.web.proxy.ForwardedHeader;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Checks all properties except for the rules.
 *
 * @param beans has the beans that properties name
 * @param environment has the properties
 * @param settings collects all problems
 */
public record SettingsCheck(ConfigurableListableBeanFactory beans, Environment environment, SettingsProblems settings) {

	private static final Pattern PLAIN_PATH = Pattern.compile("(/\\.?[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+");

	/**
	 * Creates a check.
	 * @param beans has the beans that properties name
	 * @param environment has the properties
	 * @param problems collects all problems
	 */
	public SettingsCheck(ConfigurableListableBeanFactory beans, Environment environment, Problems problems) {
		this(beans, environment, new SettingsProblems(new PropertyOrigins(environment), problems));
	}

	/**
	 * Checks all properties except for the rules.
	 * @param bound the properties
	 * @param names the names of all properties
	 */
	public void check(BoundSettings bound, PropertyNames names) {
		TierlimitProperties properties = bound.properties();
		bound.failures().report(this.settings.places(), this.settings.problems());
		new UnknownProperties(names, this.settings.places(), this.settings.problems()).checkSettings();
		checkKeys(properties);
		checkClientIp(properties.clientIp());
		checkStore(properties.memory().maxBuckets(), properties.redis());
		this.settings.requireRange("tierlimit.rejections.interval", properties.rejections().interval(), "0s", "1d");
		checkTables(properties);
		checkWeb(properties);
		if (this.beans.containsBean(FilterOrders.SECURITY_BEAN)) {
			checkOrders(FilterOrders.of(this.environment, properties.web()));
		}
		new RequiredBeansCheck(this.beans, this.settings).checkStore(properties);
		checkDataSource(properties);
	}

	/**
	 * Checks whether the tables that are enabled have a database.
	 * @param properties the properties
	 */
	public void checkDataSource(TierlimitProperties properties) {
		new RequiredBeansCheck(this.beans, this.settings).checkTables(properties);
	}

	private void checkKeys(TierlimitProperties properties) {
		String secret = properties.keys().secret();
		if (secret != null && secret.length() < KeyHash.MIN_SECRET_LENGTH) {
			this.settings.add("tierlimit.keys.secret must have at least " + KeyHash.MIN_SECRET_LENGTH
					+ " characters (has " + secret.length() + ")", "Correct or remove", "tierlimit.keys.secret");
		}
		String userKey = properties.user().key();
		if (userKey != null) {
			this.settings.attempt("tierlimit.user.key",
					() -> checkUserKey(CallerExpression.parse(userKey, ExpressionUse.USER, Map.of())));
		}
	}

	private void checkTables(TierlimitProperties properties) {
		this.settings.requireRange("tierlimit.audit.jdbc.retention", properties.audit().jdbc().retention(), "0s",
				"36500d");
		this.settings.requireRange("tierlimit.jdbc.refresh", properties.jdbc().refresh(), "1ms", "1d");
		String planKey = properties.plan().key();
		if (planKey != null) {
			this.settings.attempt("tierlimit.plan.key", () -> ExpressionPlanResolver.parse(planKey));
		}
	}

	private void checkWeb(TierlimitProperties properties) {
		this.settings.require(properties.web().maxWaiting() >= 0, "tierlimit.web.max-waiting", "must not be negative",
				properties.web().maxWaiting());
		String limitsPath = properties.web().limitsPath();
		if (limitsPath != null) {
			this.settings.require(PLAIN_PATH.matcher(limitsPath).matches(), "tierlimit.web.limits-path",
					"must be a path such as /limits: it begins with a slash, does not end with one, and has no wildcards, variables or encoded characters",
					limitsPath);
		}
		this.settings.attempt("tierlimit.headers.styles", () -> HeaderStyle.check(properties.headers().styles()));
		String property = "tierlimit.headers.retry-after-jitter";
		String jitter = properties.headers().retryAfterJitter();
		this.settings.attempt(property, () -> {
			BigDecimal share = Percentage.parse(property, jitter).share();
			this.settings.require(share.signum() >= 0 && share.compareTo(BigDecimal.ONE) <= 0, property,
					"must be from 0% to 100%", jitter);
		});
	}

	private void checkClientIp(TierlimitProperties.ClientIp clients) {
		for (int i = 0; i < clients.trustedProxies().size(); i++) {
			String network = clients.trustedProxies().get(i);
			this.settings.attempt("tierlimit.client-ip.trusted-proxies[" + i + "]", () -> IpNetwork.parse(network));
		}
		if (clients.header().size() != 1) {
			List<String> names = clients.header().stream().map(ForwardedHeader::headerName).toList();
			this.settings.add("tierlimit.client-ip.header must name one header (was " + names + ")",
					"Set {} to the header that your proxies write", "tierlimit.client-ip.header");
		}
		this.settings.attempt("tierlimit.client-ip.ipv6-prefix",
				() -> new ClientAddresses(List.of(), ForwardedHeader.X_FORWARDED_FOR, clients.ipv6Prefix()));
	}

	private void checkStore(int maxBuckets, TierlimitProperties.Redis redis) {
		this.settings.require(maxBuckets >= 1, "tierlimit.memory.max-buckets", "must be at least 1", maxBuckets);
		this.settings.require(redis.keyPrefix().matches("[A-Za-z0-9._:-]{1,64}"), "tierlimit.redis.key-prefix",
				"must have 1 to 64 letters, digits, dots, dashes, underscores or colons",
				"'" + redis.keyPrefix() + "'");
		this.settings.requireRange("tierlimit.redis.timeout", redis.timeout(), "1ms", "1m");
		this.settings.attempt(LocalShareReader.PROPERTY, () -> LocalShareReader.read(redis.localShare()));
	}

	/** Reports a filter that is on the wrong side of Spring Security's filter. */
	private void checkOrders(FilterOrders orders) {
		String security = orders.security() + ", the order of Spring Security's filter (was ";
		if (orders.before() >= orders.security()) {
			this.settings.add("tierlimit.web.order must be below " + security + orders.before() + ")",
					"Lower {}, or raise spring.security.filter.order", "tierlimit.web.order");
		}
		if (orders.after() <= orders.security()) {
			this.settings.add("tierlimit.web.authenticated-order must be above " + security + orders.after() + ")",
					"Raise {}, or lower spring.security.filter.order", "tierlimit.web.authenticated-order");
		}
	}

	private static void checkUserKey(CallerExpression key) {
		boolean ofPrincipal = key.facts().stream().allMatch((read) -> ExpressionFact.PRINCIPAL.contains(read.fact()));
		if (!ofPrincipal || key.facts().isEmpty()) {
			throw new IllegalArgumentException(
					"'" + key.text() + "' must read user, authorities or claim('name'), and nothing else");
		}
	}

}

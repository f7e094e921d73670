package io.tierlimit.autoconfigure.properties;

import java.time.Duration;
import java.util.List;

import io.tierlimit.jdbc.SchemaInitialization;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.proxy.ForwardedHeader;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The properties below {@code tierlimit}, except for the rules. The application does not
 * start if a property is unknown.
 *
 * @param enabled Whether Tierlimit is active.
 * @param audit Records of rejections.
 * @param clientIp The client address.
 * @param headers Response headers with the limits of the caller.
 * @param jdbc The database with the tables of Tierlimit.
 * @param plan The plan of a caller.
 * @param keys Keys of buckets.
 * @param store Store of the buckets. Auto: Redis if the application has a connection
 * factory for it, otherwise memory.
 * @param memory The store in memory.
 * @param metrics Meters and observations.
 * @param redis The store in Redis.
 * @param rejections Events and log lines of rejections.
 * @param reload Rules that change while the application runs.
 * @param user The name of a user.
 * @param web The servlet filters, requests that wait, and the path of callers' own
 * limits.
 */
@ConfigurationProperties("tierlimit")
public record TierlimitProperties(@DefaultValue("true") Boolean enabled, @DefaultValue Audit audit,
		@DefaultValue ClientIp clientIp, @DefaultValue Headers headers, @DefaultValue Jdbc jdbc,
		@DefaultValue Plan plan, @DefaultValue Keys keys, @DefaultValue("auto") Store store,
		@DefaultValue Memory memory, @DefaultValue Metrics metrics, @DefaultValue Redis redis,
		@DefaultValue Rejections rejections, @DefaultValue Reload reload, @DefaultValue User user,
		@DefaultValue Web web) {

	/**
	 * Records of rejections.
	 *
	 * @param jdbc The table of rejections.
	 */
	public record Audit(@DefaultValue AuditJdbc jdbc) {

	}

	/**
	 * The table of rejections.
	 *
	 * @param enabled Whether each rejection is stored as a row of tierlimit_rejection.
	 * @param identities Whether the user and the client address are stored, in the form
	 * that they have in keys.
	 * @param retention Age at which rows are deleted, from 0s to 36500d. 0 keeps them.
	 * @param shadow Whether rejections by rules in shadow mode are stored.
	 */
	public record AuditJdbc(@DefaultValue("false") Boolean enabled, @DefaultValue("false") Boolean identities,
			@DefaultValue("30d") Duration retention, @DefaultValue("false") Boolean shadow) {

	}

	/**
	 * The client address.
	 *
	 * @param trustedProxies Networks of the proxies whose header is trusted, such as
	 * 10.0.0.0/8 or 2001:db8::/32. None by default: no header is read.
	 * @param header Header in which the trusted proxies write the client address.
	 * @param ipv6Prefix Length of the network prefix, from 32 to 128 bits. IPv6 addresses
	 * with the same prefix share a bucket.
	 */
	public record ClientIp(@DefaultValue List<String> trustedProxies,
			@DefaultValue("x-forwarded-for") List<ForwardedHeader> header, @DefaultValue("64") Integer ipv6Prefix) {

	}

	/**
	 * Response headers with the limits of the caller.
	 *
	 * @param styles Styles of headers to write.
	 * @param expose Whether scripts of other origins may read the rate limit headers.
	 * @param retryAfterJitter Maximum random extension of Retry-After, as a percentage of
	 * the wait from 0% to 100%, so that rejected clients do not all retry at once.
	 */
	public record Headers(@DefaultValue( {
			"draft-11", "draft-06" }) List<HeaderStyle> styles, @DefaultValue("false") Boolean expose,
			@DefaultValue("0%") String retryAfterJitter){

	}

	/**
	 * The database with the tables of Tierlimit.
	 *
	 * @param dataSource Name of the DataSource bean, if there are several.
	 * @param initializeSchema Whether tables are created: only in an embedded database,
	 * always, or never. Existing tables are not changed.
	 * @param refresh Maximum time, from 1ms to 1d, between two checks of tables for
	 * changes.
	 * @param rules The tables of rules.
	 */
	public record Jdbc(@Nullable String dataSource, @DefaultValue("embedded") SchemaInitialization initializeSchema,
			@DefaultValue("60s") Duration refresh, @DefaultValue JdbcRules rules) {

		/**
		 * Creates the settings. A blank name is treated as none.
		 */
		public Jdbc {
			dataSource = written(dataSource);
		}

	}

	/**
	 * The tables of rules.
	 *
	 * @param enabled Whether rules and overrides are read from the tables tierlimit_rule,
	 * tierlimit_plan_limit and tierlimit_override.
	 */
	public record JdbcRules(@DefaultValue("false") Boolean enabled) {

	}

	/**
	 * The plan of a caller.
	 *
	 * @param authorityPrefix Prefix of authorities that name a plan.
	 * @param defaultPlan Plan of callers that have no other plan. A rule that lists it
	 * may leave out its own rate. None by default.
	 * @param jdbc The table of the plans of users.
	 * @param key Expression over claim('x'), requestAttribute('x'),
	 * sessionAttribute('x'), user and authorities that returns the plan. None by default.
	 */
	public record Plan(@DefaultValue("PLAN_") String authorityPrefix, @Name("default") @Nullable String defaultPlan,
			@DefaultValue PlanJdbc jdbc, @Nullable String key) {

		/**
		 * Creates the settings. A blank string is treated as none.
		 */
		public Plan {
			defaultPlan = written(defaultPlan);
			key = written(key);
		}

	}

	/**
	 * The table of the plans of users.
	 *
	 * @param enabled Whether the plans of users are read from the table
	 * tierlimit_user_plan.
	 */
	public record PlanJdbc(@DefaultValue("false") Boolean enabled) {

	}

	/**
	 * Keys of buckets.
	 *
	 * @param hash Parts of keys that are hashed before they are stored.
	 * @param secret Secret of the hashes, at least 16 characters, the same in all
	 * instances. None by default: anyone with access to a hash can test guesses of the
	 * value against it.
	 */
	public record Keys(@DefaultValue("sensitive") KeyHashing hash, @Nullable String secret) {

	}

	/**
	 * Rules that change while the application runs.
	 *
	 * @param onStartupFailure What happens at startup if a rule source cannot be read, or
	 * has rules that are not valid: the application does not start, or it starts without
	 * the rules of all sources.
	 * @param watch Whether the rules are reloaded when a file of the configuration, or a
	 * config tree, has changed. Files in jars are not watched.
	 */
	public record Reload(@DefaultValue("fail") StartupFailurePolicy onStartupFailure,
			@DefaultValue("false") Boolean watch) {

	}

	/**
	 * The store in memory.
	 *
	 * @param maxBuckets Maximum number of buckets, at least 1. Full buckets are evicted
	 * first. In a sliding log, each 25 entries after the first 25 are treated as one more
	 * bucket.
	 */
	public record Memory(@DefaultValue("1000000") Integer maxBuckets) {

	}

	/**
	 * Meters and observations.
	 *
	 * @param observations Whether each evaluation is an observation: a span of a trace,
	 * with the rules that have rejected a request. It costs more than an evaluation in
	 * memory. Meters do not depend on it.
	 */
	public record Metrics(@DefaultValue("false") Boolean observations) {

	}

	/**
	 * The stores.
	 */
	public enum Store {

		/** Redis if there is a connection factory for it, otherwise memory. */
		AUTO,

		/** The memory of each instance. */
		MEMORY,

		/** Redis, shared by all instances. */
		REDIS

	}

	/**
	 * The store in Redis.
	 *
	 * @param keyPrefix Prefix of the names of all keys, so that several applications can
	 * share a server: 1 to 64 letters, digits, dots, dashes, underscores or colons.
	 * @param timeout Maximum time, from 1ms to 1m, that a call waits for the reply of
	 * Redis. Jedis applies its own timeouts.
	 * @param onStoreFailure Behavior of rules while Redis is unavailable: enforce local
	 * limits, allow, or deny.
	 * @param localShare Share of every limit that this instance enforces while Redis is
	 * unavailable: auto for one divided by the number of instances that Redis last
	 * showed, or a percentage, such as 25% for 4 instances.
	 * @param connectionFactory Name of the connection factory bean, if there are several.
	 */
	public record Redis(@DefaultValue("tierlimit") String keyPrefix, @DefaultValue("100ms") Duration timeout,
			@DefaultValue("local") StoreFailurePolicy onStoreFailure, @DefaultValue("auto") String localShare,
			@Nullable String connectionFactory) {

		/**
		 * Creates the settings. A blank name is treated as none.
		 */
		public Redis {
			connectionFactory = written(connectionFactory);
		}

	}

	/**
	 * Events and log lines of rejections. Meters count all rejections.
	 *
	 * @param log Whether a line is logged at INFO, with key-value pairs for structured
	 * logging.
	 * @param interval Minimum time, from 0s to 1d, between two events or log lines of the
	 * same bucket.
	 */
	public record Rejections(@DefaultValue("false") Boolean log, @DefaultValue("10s") Duration interval) {

	}

	/**
	 * The name of a user.
	 *
	 * @param key Expression over user, authorities and claim('x') that returns the name
	 * of the user. By default the name of the principal.
	 */
	public record User(@Nullable String key) {

		/**
		 * Creates the setting. A blank expression is treated as none.
		 */
		public User {
			key = written(key);
		}

	}

	/**
	 * The servlet filters.
	 *
	 * @param order Order of the filter that checks rules without authentication. By
	 * default 3 below the order of Spring Security's filter.
	 * @param authenticatedOrder Order of the filter that checks rules that require the
	 * authenticated user. By default 10 above the order of Spring Security's filter.
	 * @param maxWaiting Maximum number of requests and calls that wait for permits at the
	 * same time, at most a tenth of them for the bucket of one caller. Further ones are
	 * rejected. 0 disables waiting.
	 * @param limitsPath Path, relative to the context path, where callers read their own
	 * limits without consuming permits. None by default. Only rules whose paths name it
	 * apply to it.
	 */
	public record Web(@Nullable Integer order, @Nullable Integer authenticatedOrder,
			@DefaultValue("100") Integer maxWaiting, @Nullable String limitsPath) {

		/**
		 * Creates the settings. A blank path is treated as none.
		 */
		public Web {
			limitsPath = written(limitsPath);
		}

	}

	private static @Nullable String written(@Nullable String text) {
		return (text == null || text.isBlank()) ? null : text;
	}

}

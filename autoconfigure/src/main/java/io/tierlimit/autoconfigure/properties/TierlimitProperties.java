package io.tierlimit.autoconfigure.properties;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import io.tierlimit.key.KeyHashing;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.web.address.ForwardedHeader;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.header.XRateLimitReset;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The properties below {@code tierlimit}, except for the rules. Startup stops if there is
 * any other property there.
 *
 * @param enabled Whether Tierlimit is active.
 * @param clientIp How a client's address is found.
 * @param headers Header fields that tell callers about their limits.
 * @param plan How a caller's plan is found.
 * @param keys Keys of buckets.
 * @param store Where buckets live. Auto: in Redis if the application has a connection
 * factory for it, else in memory.
 * @param memory The store in memory.
 * @param redis The store in Redis.
 * @param rejections What is told of rejections beside meters.
 * @param user Who a user is.
 * @param web The servlet filters.
 */
@ConfigurationProperties("tierlimit")
public record TierlimitProperties(@DefaultValue("true") Boolean enabled, @DefaultValue ClientIp clientIp,
		@DefaultValue Headers headers, @DefaultValue Plan plan, @DefaultValue Keys keys,
		@DefaultValue("auto") Store store, @DefaultValue Memory memory, @DefaultValue Redis redis,
		@DefaultValue Rejections rejections, @DefaultValue User user, @DefaultValue Web web) {

	/**
	 * How a client's address is found.
	 *
	 * @param trustedProxies Networks of the proxies whose word on their client counts,
	 * such as 10.0.0.0/8 or 2001:db8::/32. None by default: no header is read.
	 * @param header Header field that these proxies write.
	 * @param ipv4Prefix Bits that the IPv4 addresses have in common which share a bucket.
	 * @param ipv6Prefix Bits that the IPv6 addresses have in common which share a bucket.
	 */
	public record ClientIp(@DefaultValue List<String> trustedProxies,
			@DefaultValue("x-forwarded-for") List<ForwardedHeader> header, @DefaultValue("32") Integer ipv4Prefix,
			@DefaultValue("64") Integer ipv6Prefix) {

	}

	/**
	 * Header fields that tell callers about their limits.
	 *
	 * @param styles Families of header fields to write.
	 * @param xRatelimitReset What X-RateLimit-Reset counts: seconds from now, or since
	 * the epoch.
	 * @param expose Whether scripts of other origins may read these fields.
	 * @param retryAfterJitter By how much the waits of rejected clients are lengthened at
	 * most, so that they don't all come back at once. A percentage of the wait.
	 */
	public record Headers(@DefaultValue( {
			"ietf", "classic" }) List<HeaderStyle> styles, @DefaultValue("delta") XRateLimitReset xRatelimitReset,
			@DefaultValue("false") Boolean expose, @DefaultValue("0%") String retryAfterJitter){

	}

	/**
	 * How a caller's plan is found.
	 *
	 * @param authorityPrefix What stands before the plan's name in an authority.
	 * @param defaultPlan Plan of callers without such an authority. None by default.
	 */
	public record Plan(@DefaultValue("PLAN_") String authorityPrefix, @Name("default") @Nullable String defaultPlan) {

		/**
		 * Creates a setting, where a blank default plan counts as none.
		 */
		public Plan {
			defaultPlan = written(defaultPlan);
		}

	}

	/**
	 * Keys of buckets.
	 *
	 * @param hash Which parts of keys are hashed before they are stored.
	 * @param secret Secret for the hashes, 16 characters or more, the same in all
	 * instances. None by default: whoever sees a hash can then test guesses against it.
	 */
	public record Keys(@DefaultValue("sensitive") KeyHashing hash, @Nullable String secret) {

	}

	/**
	 * The store in memory.
	 *
	 * @param maxBuckets How many buckets are kept at most. Full ones are evicted first.
	 * Each 25 entries of a sliding log, after the first 25, count as one bucket more.
	 */
	public record Memory(@DefaultValue("1000000") Integer maxBuckets) {

	}

	/**
	 * Where buckets live.
	 */
	public enum Store {

		/** In Redis if there is a connection factory for it, else in memory. */
		AUTO,

		/** In each instance's own memory. */
		MEMORY,

		/** In Redis, shared by all instances. */
		REDIS

	}

	/**
	 * The store in Redis.
	 *
	 * @param keyPrefix What the names of all keys begin with, so that several
	 * applications can share a server.
	 * @param timeout How long a call waits for the reply of Redis.
	 * @param onFailure What rules do while Redis can't be reached.
	 * @param localShare Part of every limit that this instance grants by itself while
	 * Redis can't be reached, such as 0.25 for 4 instances.
	 * @param cachedRejections How many buckets are remembered at most that rejected less
	 * than a second ago, so that Redis need not be asked again. 0 for none.
	 * @param connectionFactory Bean that connects to Redis, where there are several.
	 */
	public record Redis(@DefaultValue("tierlimit") String keyPrefix, @DefaultValue("100ms") Duration timeout,
			@DefaultValue("local") StoreFailurePolicy onFailure, @DefaultValue("1.0") BigDecimal localShare,
			@DefaultValue("16384") Integer cachedRejections, @Nullable String connectionFactory) {

		/**
		 * Creates settings, where a blank name of a bean counts as none.
		 */
		public Redis {
			connectionFactory = written(connectionFactory);
		}

	}

	/**
	 * What is told of rejections beside meters, which count all of them.
	 *
	 * @param events Whether a RateLimitRejectedEvent is published to the application's
	 * listeners.
	 * @param log Whether a line is logged at INFO, with key-value pairs for structured
	 * logging.
	 * @param interval How long nothing more is told of the same bucket.
	 * @param rate How much is told at most of all buckets together.
	 */
	public record Rejections(@DefaultValue("true") Boolean events, @DefaultValue("false") Boolean log,
			@DefaultValue("10s") Duration interval, @DefaultValue("100/s") String rate) {

	}

	/**
	 * Who a user is.
	 *
	 * @param key SpEL that names the user, over user, authorities and claim('x'). By
	 * default the principal's own name.
	 */
	public record User(@Nullable String key) {

		/**
		 * Creates a setting, where a blank expression counts as none.
		 */
		public User {
			key = written(key);
		}

	}

	/**
	 * The servlet filters.
	 *
	 * @param order Place in the filter chain where requests are held against rules that
	 * need no authentication. By default 10 before Spring Security's filter.
	 * @param authenticatedOrder Place where requests are held against rules that need the
	 * authenticated user. By default 10 behind Spring Security's filter.
	 * @param maxWaiting How many requests and calls are held at most at the same time,
	 * under rules with max-wait. Any more are rejected.
	 */
	public record Web(@Nullable Integer order, @Nullable Integer authenticatedOrder,
			@DefaultValue("100") Integer maxWaiting) {

	}

	private static @Nullable String written(@Nullable String text) {
		return (text == null || text.isBlank()) ? null : text;
	}

}

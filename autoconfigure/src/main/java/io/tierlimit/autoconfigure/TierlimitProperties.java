package io.tierlimit.autoconfigure;

import java.util.List;
import java.util.Map;

import io.tierlimit.key.KeyHashing;
import io.tierlimit.web.header.HeaderStyle;
import io.tierlimit.web.header.XRateLimitReset;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * What stands under {@code tierlimit} in the configuration. {@link UnknownProperties}
 * finds what doesn't belong there.
 *
 * @param enabled Whether Tierlimit is active.
 * @param rules Rules by their ids.
 * @param headers Header fields that tell callers about their limits.
 * @param plan How a caller's plan is found.
 * @param keys Keys of buckets.
 * @param memory The store in memory.
 * @param web The servlet filters.
 */
@ConfigurationProperties("tierlimit")
public record TierlimitProperties(@DefaultValue("true") Boolean enabled,
		@DefaultValue Map<String, RuleProperties> rules, @DefaultValue Headers headers, @DefaultValue Plan plan,
		@DefaultValue Keys keys, @DefaultValue Memory memory, @DefaultValue Web web) {

	/**
	 * Header fields that tell callers about their limits.
	 *
	 * @param styles Families of header fields to write.
	 * @param xRatelimitReset What X-RateLimit-Reset counts: seconds from now, or since
	 * the epoch.
	 */
	public record Headers(@DefaultValue( {
			"ietf", "classic" }) List<HeaderStyle> styles, @DefaultValue("delta") XRateLimitReset xRatelimitReset){

	}

	/**
	 * How a caller's plan is found.
	 *
	 * @param authorityPrefix What stands before the plan's name in an authority.
	 * @param defaultPlan Plan of callers without such an authority. None by default.
	 */
	public record Plan(@DefaultValue("PLAN_") String authorityPrefix, @Name("default") @Nullable String defaultPlan) {

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
	 * @param maxBuckets How many buckets are kept at most. Full ones are forgotten first.
	 */
	public record Memory(@DefaultValue("1000000") Integer maxBuckets) {

	}

	/**
	 * The servlet filters.
	 *
	 * @param order Place in the filter chain where requests are held against rules that
	 * need no authentication. By default 10 before Spring Security's filter.
	 * @param authenticatedOrder Place where requests are held against rules that need the
	 * authenticated user. By default 10 behind Spring Security's filter.
	 */
	public record Web(@Nullable Integer order, @Nullable Integer authenticatedOrder) {

	}

}

package io.tierlimit.actuate;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.tierlimit.RuleDecision;
import io.tierlimit.evaluation.BucketLookup;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.offender.OffenderList;
import io.tierlimit.offender.RuleOffenders;
import io.tierlimit.rule.KebabCase;
import io.tierlimit.rule.Scope;
import io.tierlimit.store.PermitHolder;
import org.jspecify.annotations.Nullable;

/**
 * Finds buckets for operators.
 *
 * @param buckets reads and resets buckets
 * @param clients maps an address to the address or network of one client
 * @param offenders counts the rejections of each key
 */
public record BucketQueries(BucketLookup buckets, UnaryOperator<String> clients, RuleOffenders offenders) {

	private static final int MAX_BANS = 1000;

	/** The buckets of a key, one for each plan. */
	List<RuleDecision> findByKey(CompiledRule rule, Map<String, String> key, @Nullable String plan) {
		Map<String, String> parts = new HashMap<>(key);
		parts.computeIfPresent(Scope.IP, (name, address) -> this.clients.apply(address));
		return this.buckets.find(rule, parts, plan);
	}

	/** The buckets of a caller under a rule, one for each plan. */
	List<RuleDecision> findByCaller(CompiledRule rule, @Nullable String user, @Nullable String address,
			@Nullable String plan) {
		return this.buckets.findOf(rule, user, (address != null) ? this.clients.apply(address) : null, plan);
	}

	/**
	 * The buckets of a caller under all rules whose key consists of the arguments.
	 */
	List<RuleDecision> findByCaller(@Nullable String user, @Nullable String address, @Nullable String plan) {
		return this.buckets.findOf(user, (address != null) ? this.clients.apply(address) : null, plan);
	}

	private @Nullable List<PermitHolder> holders(RuleDecision bucket) {
		return bucket.limit().algorithm().holdsPermits() ? this.buckets.holders(bucket) : null;
	}

	/** The bans of a rule, up to a maximum number; the longest bans come first. */
	List<BanDescriptor> bans(CompiledRule rule) {
		Instant now = Instant.now();
		return this.buckets.bans(rule, MAX_BANS)
			.entrySet()
			.stream()
			.map((ban) -> BanDescriptor.of(ban.getKey().key(), ban.getValue(), now))
			.sorted(Comparator.comparing((BanDescriptor ban) -> ban.until())
				.reversed()
				.thenComparing(BanDescriptor::key))
			.toList();
	}

	/**
	 * The keys that this instance has rejected most often under a rule, with the current
	 * state of their buckets. Keys with the most rejections come first. In mode
	 * {@code shadow}, requests that the rule would have rejected are counted.
	 */
	Map<String, Object> offenders(CompiledRule rule) {
		OffenderList list = this.offenders.of(rule.rule().id());
		Map<String, @Nullable String> plans = new HashMap<>();
		list.offenders().forEach((offender) -> plans.put(offender.key(), offender.plan()));
		Map<String, RuleDecision> buckets = this.buckets.findStored(rule, plans);
		Instant now = Instant.now();
		Map<String, Object> description = new LinkedHashMap<>();
		description.put("mode", KebabCase.of(rule.rule().options().mode()));
		description.put("since", list.since());
		description.put("rejections", list.rejections());
		description.put("offenders",
				list.offenders()
					.stream()
					.map((offender) -> OffenderDescriptor.of(offender, buckets.get(offender.key()), now))
					.toList());
		return description;
	}

	/** Describes buckets. Empty buckets come first. */
	List<BucketDescriptor> describe(List<RuleDecision> found) {
		Instant now = Instant.now();
		return found.stream()
			.map((bucket) -> BucketDescriptor.of(bucket, holders(bucket), now))
			.sorted(Comparator.comparing((BucketDescriptor bucket) -> !bucket.empty()))
			.toList();
	}

}

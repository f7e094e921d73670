package io.tierlimit.actuate;

import java.util.Collection;
import java.util.List;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleDecision;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketStore;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import org.jspecify.annotations.Nullable;

/**
 * Shows operators the rules in force and how buckets stand, and makes buckets full where
 * the management configuration grants that.
 */
@Endpoint(id = "ratelimits", defaultAccess = Access.READ_ONLY)
public final class RateLimitsEndpoint {

	private final RateLimitEvaluator evaluator;

	private final BucketStore store;

	private final RuleDescriptors rules;

	private final BucketQueries queries;

	/**
	 * Creates an endpoint.
	 * @param evaluator knows the rules
	 * @param store where buckets live
	 * @param rules describes rules
	 * @param queries finds buckets
	 */
	public RateLimitsEndpoint(RateLimitEvaluator evaluator, BucketStore store, RuleDescriptors rules,
			BucketQueries queries) {
		this.evaluator = evaluator;
		this.store = store;
		this.rules = rules;
		this.queries = queries;
	}

	/**
	 * The rules in force or, for a user or an address, all buckets that he takes from.
	 * @param user the user, as {@code tierlimit.user.key} names him, or {@code null}
	 * @param address the address of a client, or {@code null}
	 * @param plan the user's plan; {@code null} for all that rules list
	 * @return a {@link RulesDescriptor}, or a {@link BucketsDescriptor}
	 */
	@ReadOperation
	public OperationResponseBody rateLimits(@Nullable String user, @Nullable String address, @Nullable String plan) {
		StoreDescriptor described = StoreDescriptor.of(this.store);
		if (user == null && address == null) {
			return this.rules.all(described);
		}
		return new BucketsDescriptor(described, this.queries.describe(this.queries.ofCaller(user, address, plan)));
	}

	/**
	 * A rule or, for a key, how the bucket of that key stands.
	 * @param rule the rule's id
	 * @param key the parts of the key, given once each in the order of
	 * {@link RuleDescriptor#keyParts()}, or {@code null}; empty for a rule with one
	 * bucket
	 * @param plan the plan, where the rule lists plans; {@code null} for all of these
	 * @return a {@link RuleDescriptor}, or a {@link BucketsDescriptor}; {@code null} if
	 * there is no such rule
	 * @throws InvalidEndpointRequestException if the key has other parts
	 */
	@ReadOperation
	public @Nullable OperationResponseBody rateLimit(@Selector String rule, @Nullable Object key,
			@Nullable String plan) {
		CompiledRule found = this.evaluator.rule(rule);
		if (found == null || key == null) {
			return this.rules.of(rule);
		}
		List<RuleDecision> buckets = find(found.rule(), key, plan);
		return new BucketsDescriptor(StoreDescriptor.of(this.store), this.queries.describe(buckets));
	}

	/**
	 * Makes the bucket of a key full.
	 * @param rule the rule's id
	 * @param key the parts of the key as above; {@code null} for a rule with one bucket
	 * @param plan the plan, where the rule lists plans; {@code null} for all of these
	 * @return 204 if it is done, 404 if there is no such rule, 503 if the store can't be
	 * reached
	 * @throws InvalidEndpointRequestException if the key has other parts
	 */
	@DeleteOperation
	public WebEndpointResponse<Void> reset(@Selector String rule, @Nullable Object key, @Nullable String plan) {
		CompiledRule found = this.evaluator.rule(rule);
		if (found == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		boolean done = this.queries.reset(find(found.rule(), (key != null) ? key : List.of(), plan));
		return new WebEndpointResponse<>(
				done ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

	private List<RuleDecision> find(Rule rule, Object key, @Nullable String plan) {
		try {
			return this.queries.find(rule, parts(key), plan);
		}
		catch (IllegalArgumentException ex) {
			String reason = ex.getMessage() + ": give the parameter 'key' once for each";
			throw new InvalidEndpointRequestException(reason, reason);
		}
	}

	/** What is given once is a text, and may have commas. */
	private static List<String> parts(Object key) {
		if (key instanceof Collection<?> parts) {
			return parts.stream().map(String::valueOf).toList();
		}
		String text = String.valueOf(key);
		return text.isEmpty() ? List.of() : List.of(text);
	}

}

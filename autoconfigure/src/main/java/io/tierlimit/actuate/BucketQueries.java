package io.tierlimit.actuate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.tierlimit.actuate.LastDecisions.Last;
import io.tierlimit.evaluation.BucketLookup;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleDecision;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;

import org.jspecify.annotations.Nullable;

/**
 * Finds buckets for operators.
 */
public final class BucketQueries {

	/**
	 * How many buckets an answer has at most that were found in the memory of decisions.
	 */
	private static final int MOST = 200;

	private static final int MOST_ADDRESSES = 10;

	private final BucketLookup buckets;

	private final LastDecisions decisions;

	private final UnaryOperator<String> clients;

	/**
	 * Creates queries.
	 * @param evaluator knows the rules and the store
	 * @param decisions what was decided last
	 * @param clients tells of an address what counts as the address of one client
	 */
	public BucketQueries(RateLimitEvaluator evaluator, LastDecisions decisions, UnaryOperator<String> clients) {
		this.buckets = new BucketLookup(evaluator);
		this.decisions = decisions;
		this.clients = clients;
	}

	/** The buckets of a key, one a plan. */
	List<RuleDecision> find(Rule rule, List<String> key, @Nullable String plan) {
		List<String> names = this.buckets.keyParts(rule);
		List<String> parts = new ArrayList<>(key);
		for (int i = 0; i < Math.min(names.size(), parts.size()); i++) {
			if (names.get(i).equals(Scope.IP)) {
				parts.set(i, this.clients.apply(parts.get(i)));
			}
		}
		return this.buckets.find(rule.id(), parts, plan);
	}

	/** The buckets that a caller takes from under a rule, one a plan. */
	List<RuleDecision> findOf(Rule rule, @Nullable String user, @Nullable String address, @Nullable String plan) {
		return this.buckets.findOf(rule.id(), user, (address != null) ? this.clients.apply(address) : null, plan);
	}

	/**
	 * All buckets that a caller takes from: those whose key follows from what is given,
	 * or from the addresses that this instance remembers of a user; those where it
	 * remembers the caller; and those that all callers of an endpoint share.
	 */
	List<RuleDecision> findOf(@Nullable String user, @Nullable String address, @Nullable String plan) {
		String ip = (address != null) ? this.clients.apply(address) : null;
		List<Last> own = this.decisions.all((last) -> isOf(last, user, ip));
		List<Last> shared = this.decisions.all((last) -> isEverybodys(last.decision().rule()));
		List<RuleDecision> remembered = Stream.concat(latest(own), latest(shared))
			.limit(MOST)
			.map(Last::decision)
			.toList();
		return this.buckets.findOf(user, (ip != null) ? List.of(ip) : addresses(own), plan, remembered);
	}

	private static Stream<Last> latest(List<Last> decisions) {
		return decisions.stream().sorted(Comparator.comparing(Last::at).reversed());
	}

	private static List<String> addresses(List<Last> own) {
		return latest(own).map(Last::ip).filter(Objects::nonNull).distinct().limit(MOST_ADDRESSES).toList();
	}

	private static boolean isOf(Last last, @Nullable String user, @Nullable String ip) {
		return (user != null && user.equals(last.user())) || (ip != null && ip.equals(last.ip()));
	}

	private boolean isEverybodys(Rule rule) {
		return this.buckets.keyParts(rule).equals(List.of(Scope.ENDPOINT));
	}

	boolean reset(List<RuleDecision> found) {
		return this.buckets.reset(found);
	}

	/** Those that are empty, or have refused last, come first. */
	List<BucketDescriptor> describe(List<RuleDecision> found) {
		return found.stream()
			.sorted(Comparator.comparing((RuleDecision bucket) -> !isRefusing(bucket)))
			.map((bucket) -> BucketDescriptor.of(bucket, this.decisions.of(bucket)))
			.toList();
	}

	private boolean isRefusing(RuleDecision bucket) {
		Last last = this.decisions.of(bucket);
		return bucket.decision().remaining() == 0 || (last != null && !last.decision().decision().allowed());
	}

}

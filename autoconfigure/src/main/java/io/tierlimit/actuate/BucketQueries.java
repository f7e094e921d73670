package io.tierlimit.actuate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

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

	/**
	 * All buckets that a caller takes from: those whose key follows from what is given,
	 * or from the addresses that this instance remembers of a user, and those where it
	 * remembers the caller, or that are everybody's.
	 */
	List<RuleDecision> ofCaller(@Nullable String user, @Nullable String address, @Nullable String plan) {
		String ip = (address != null) ? this.clients.apply(address) : null;
		List<Last> remembered = this.decisions
			.all((last) -> isOf(last, user, ip) || isEverybodys(last.decision().rule()));
		List<RuleDecision> found = new ArrayList<>();
		addAllNew(found, this.buckets.findOf(user, ip, plan));
		if (ip == null) {
			addressesOf(user, remembered).forEach((known) -> addAllNew(found, this.buckets.findOf(user, known, plan)));
		}
		addAllNew(found,
				this.buckets.again(remembered.stream()
					.sorted(Comparator.comparing(Last::at).reversed())
					.limit(MOST)
					.map(Last::decision)
					.toList()));
		return found;
	}

	private static void addAllNew(List<RuleDecision> found, List<RuleDecision> more) {
		for (RuleDecision decision : more) {
			if (found.stream().noneMatch((known) -> LastDecisions.isSame(known, decision))) {
				found.add(decision);
			}
		}
	}

	private static List<String> addressesOf(@Nullable String user, List<Last> remembered) {
		return remembered.stream()
			.filter((last) -> isOf(last, user, null))
			.map(Last::ip)
			.filter(Objects::nonNull)
			.distinct()
			.limit(MOST_ADDRESSES)
			.toList();
	}

	private static boolean isOf(Last last, @Nullable String user, @Nullable String ip) {
		return (user != null && user.equals(last.user())) || (ip != null && ip.equals(last.ip()));
	}

	private boolean isEverybodys(Rule rule) {
		return Set.of(Scope.ENDPOINT).containsAll(this.buckets.keyParts(rule));
	}

	boolean reset(List<RuleDecision> found) {
		return this.buckets.reset(found);
	}

	/** Those that are empty come first. */
	List<BucketDescriptor> describe(List<RuleDecision> found) {
		return found.stream()
			.map((bucket) -> BucketDescriptor.of(bucket, this.decisions.of(bucket)))
			.sorted(Comparator.comparing((BucketDescriptor bucket) -> !bucket.empty()))
			.toList();
	}

}

package io.tierlimit.key;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import io.tierlimit.MissingKeyPolicy;
import io.tierlimit.key.KeyPart.Role;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.rule.Account;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;
import io.tierlimit.spi.Caller;
import io.tierlimit.spi.InvalidRequestValueException;
import io.tierlimit.spi.KeyResolver;
import io.tierlimit.store.BucketKey;
import org.jspecify.annotations.Nullable;

/**
 * Creates the keys of a rule's buckets. The parts of a key are the parts of the rule's
 * scope, the value of its key expression and, if the rule lists plans, the plan.
 */
public final class RuleKey {

	private final List<KeyPart> parts = new ArrayList<>();

	private final Rule rule;

	private final List<String> names;

	private final KeyHash hash;

	private final boolean readsArguments;

	private final boolean readsTarget;

	private final boolean identifiesAccounts;

	private final AccountMatcher accounts;

	private final int affinityKey;

	/** The key of a rule with one bucket; {@code null} if the key has parts. */
	private final @Nullable BucketKey only;

	/**
	 * Creates the key of a rule.
	 * @param rule the rule
	 * @param arguments the types of the method's arguments, which the key expression may
	 * read, by their names
	 * @param resolvers key resolvers by the scope that they define
	 * @param hash hashes the parts of keys
	 * @param warnings logs failures of resolvers and expressions
	 * @throws IllegalArgumentException if the rule has a scope without a resolver, or an
	 * invalid expression
	 */
	public RuleKey(Rule rule, Map<String, Class<?>> arguments, Map<String, KeyResolver> resolvers, KeyHash hash,
			OnceLogger warnings) {
		this.rule = rule;
		this.names = List.copyOf(rule.scope().keyParts());
		this.hash = hash;
		for (String name : rule.scope().names()) {
			this.parts.add(part(name, resolvers, warnings));
		}
		String key = rule.scope().key();
		CallerExpression expression = (key != null) ? CallerExpression.parse(key, ExpressionUse.KEY, arguments) : null;
		this.readsArguments = expression != null && expression.reads(Set.of(ExpressionFact.ARGUMENT));
		this.readsTarget = this.parts.stream().anyMatch((part) -> part.role() == Role.ENDPOINT)
				|| (expression != null && expression.reads(ExpressionFact.TARGET));
		this.identifiesAccounts = this.parts.stream().anyMatch((part) -> part.role().mayNameAccount())
				|| (expression != null && expression.reads(ExpressionFact.ACCOUNT));
		if (expression != null) {
			this.parts.add(ResolverPart.of(expression, rule.id(), warnings));
		}
		if (listsPlans() && !rule.scope().names().contains(Scope.PLAN)) {
			this.parts.add(new PlanPart(rule.limits(), false));
		}
		this.accounts = new AccountMatcher(this.parts, expression, hash);
		this.affinityKey = IntStream.range(0, this.parts.size())
			.boxed()
			.min(Comparator.comparing(this::affinity))
			.orElse(0);
		this.only = this.parts.isEmpty() ? new BucketKey(rule.id(), "") : null;
	}

	private KeyPart part(String name, Map<String, KeyResolver> resolvers, OnceLogger warnings) {
		KeyPart fact = CallerAttributePart.of(name);
		if (fact != null) {
			return fact;
		}
		if (name.equals(Scope.PLAN)) {
			return new PlanPart(this.rule.limits(), true);
		}
		KeyResolver resolver = resolvers.get(name);
		if (resolver == null) {
			throw new IllegalArgumentException(
					"Rule '" + this.rule.id() + "' has scope '" + name + "', but known scopes are "
							+ String.join(", ", Scope.BUILT_IN) + " and the KeyResolver beans " + resolvers.keySet());
		}
		return new ResolverPart("KeyResolver '" + name + "'", resolver, true, true, this.rule.id(), warnings);
	}

	/**
	 * The role by which buckets are kept together in a store. This is the user if there
	 * is one, so that all buckets of a user's request are in the same place. No part is
	 * preferred because of an endpoint or a plan.
	 */
	private Role affinity(int part) {
		Role role = this.parts.get(part).role();
		return (role.compareTo(Role.ADDRESS) > 0) ? Role.ENDPOINT : role;
	}

	private boolean listsPlans() {
		return !this.rule.limits().plans().isEmpty();
	}

	/**
	 * Whether the key needs the arguments of a method call.
	 * @return whether the key expression reads an argument
	 */
	public boolean readsArguments() {
		return this.readsArguments;
	}

	/**
	 * Whether a caller has different buckets for different targets.
	 * @return whether a part is the endpoint, or the key expression reads the target of
	 * the request
	 */
	public boolean readsTarget() {
		return this.readsTarget;
	}

	/**
	 * Whether the key can only be resolved after authentication.
	 * @return whether a part reads the identity of the caller
	 */
	public boolean needsAuthentication() {
		return this.parts.stream().anyMatch(KeyPart::needsAuthentication);
	}

	/**
	 * Whether buckets may belong to accounts.
	 * @return whether the key has a part that may identify an account
	 */
	public boolean identifiesAccounts() {
		return this.identifiesAccounts;
	}

	/**
	 * Whether a bucket belongs to an account, so that a successful authentication may
	 * reset it.
	 * @param account the authenticated account
	 * @param key a key that this class has created
	 * @return whether every part of the key that may name an account names this account
	 */
	public boolean belongsTo(Account account, String key) {
		return this.accounts.belongsTo(account, key);
	}

	/**
	 * Whether a key contains the client address instead of a part that the caller did not
	 * have.
	 * @param key a key that this class has created
	 * @return whether all callers with that address and without that part share the
	 * bucket
	 */
	public static boolean hasStandIn(BucketKey key) {
		return KeyBuilder.hasStandIn(key.key());
	}

	/**
	 * Whether a part that was copied from a key only replaces a value of a caller.
	 * @param part a part as the store or an endpoint shows it
	 * @return whether the part is a hash, an address instead of another value, or the
	 * marker of an absent value
	 */
	public static boolean isReplacement(String part) {
		return KeyBuilder.isReplacement(part);
	}

	/**
	 * Whether a part of the key may be a client-supplied value, such as a credential.
	 * @return whether a header, a parameter, an argument or a {@link KeyResolver} is in
	 * the key
	 */
	public boolean isSensitive() {
		return this.parts.stream().anyMatch(KeyPart::isSensitive);
	}

	/**
	 * Whether the key differs by caller.
	 * @return whether the key has a part other than the endpoint
	 */
	public boolean isPerCaller() {
		return this.parts.stream().anyMatch((part) -> part.role() != Role.ENDPOINT);
	}

	/**
	 * Creates the key of a caller.
	 * @param caller the caller
	 * @param endpoint the endpoint if no mapping has a pattern for the request, or
	 * {@code null}
	 * @return the key, or {@code null} if a part is missing and the rule does not replace
	 * it by the client address
	 * @throws InvalidRequestValueException if a part cannot be resolved and a client can
	 * cause this
	 */
	public @Nullable BucketKey of(Caller caller, @Nullable String endpoint) {
		if (this.only != null) {
			return this.only;
		}
		KeyBuilder key = new KeyBuilder(this.hash);
		String affinityKey = "";
		for (int i = 0; i < this.parts.size(); i++) {
			KeyPart part = this.parts.get(i);
			KeyPart.Result result = part.addTo(key, caller, endpoint);
			if (result != KeyPart.Result.ADDED && !standIn(part, key, caller, result)) {
				return null;
			}
			if (i == this.affinityKey) {
				affinityKey = key.last();
			}
		}
		return new BucketKey(this.rule.id(), key.toString(), affinityKey);
	}

	/**
	 * Creates a key from the client address only.
	 * @param caller the caller
	 * @return the key of all callers with that address
	 */
	public BucketKey ofAddress(Caller caller) {
		KeyBuilder key = new KeyBuilder(this.hash);
		key.addAddress(caller.ip());
		return new BucketKey(this.rule.id(), key.toString(), key.last());
	}

	/**
	 * Adds the client address instead of a part that is missing or could not be
	 * determined. The rule is never skipped because of a failure.
	 */
	private boolean standIn(KeyPart part, KeyBuilder key, Caller caller, KeyPart.Result result) {
		MissingKeyPolicy onMissingKey = this.rule.scope().onMissingKey();
		if (onMissingKey == MissingKeyPolicy.DENY
				|| (onMissingKey == MissingKeyPolicy.SKIP && result == KeyPart.Result.MISSING)) {
			return false;
		}
		key.addAddress(caller.ip());
		if (part.role() == Role.PLAN && listsPlans()) {
			// The plan still selects the limit.
			part.addTo(key, caller.plan());
		}
		return true;
	}

	/**
	 * Creates the key from values that code provides. The parts are in the order of
	 * {@link #names()}, whatever the order of the values.
	 * @param values the values by the names of their parts
	 * @param plan the plan, or {@code null} for none
	 * @return the key
	 * @throws IllegalArgumentException if a value for a part is missing, or the rule's
	 * key does not have a part with that name
	 */
	public BucketKey of(Map<String, String> values, @Nullable String plan) {
		if (!values.keySet().equals(Set.copyOf(names()))) {
			throw new IllegalArgumentException("The key of rule '" + this.rule.id() + "' has the parts "
					+ new TreeSet<>(names()) + ", but the request has " + new TreeSet<>(values.keySet()));
		}
		Iterator<String> given = names().iterator();
		KeyBuilder key = new KeyBuilder(this.hash);
		String affinityKey = "";
		for (int i = 0; i < this.parts.size(); i++) {
			KeyPart part = this.parts.get(i);
			part.addTo(key, (part.role() == Role.PLAN) ? plan : values.get(given.next()));
			if (i == this.affinityKey) {
				affinityKey = key.last();
			}
		}
		return new BucketKey(this.rule.id(), key.toString(), affinityKey);
	}

	/**
	 * Finds the bucket of a key that this class has created.
	 * @param key the key as the store has it
	 * @return the key with its affinity key
	 */
	public BucketKey ofStored(String key) {
		if (this.only != null) {
			return this.only;
		}
		// A key from the client address only has a single part.
		List<String> stored = KeyBuilder.parts(key);
		String owner = stored.get(Math.min(this.affinityKey, stored.size() - 1));
		return new BucketKey(this.rule.id(), key, KeyBuilder.withoutMarker(owner));
	}

	/**
	 * Whether the user, the address and the plan of a caller determine every part.
	 * @param caller a caller, which may have no other facts
	 * @return whether {@link #of(Caller, String)} needs no further facts
	 */
	public boolean isDeterminedBy(Caller caller) {
		return this.parts.stream().allMatch((part) -> switch (part.role()) {
			case PLAN -> true;
			case ADDRESS -> caller.ip() != null;
			case USER -> caller.user() != null || caller.ip() != null;
			case RESOLVED, ENDPOINT -> false;
		});
	}

	/**
	 * The parts that code must provide, in the order of stored keys.
	 * @return the names in the rule's scope in alphabetical order except {@code plan},
	 * then {@code key} if the rule has a key expression
	 */
	public List<String> names() {
		return this.names;
	}

}

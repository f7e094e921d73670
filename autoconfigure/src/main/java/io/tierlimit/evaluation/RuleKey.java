package io.tierlimit.evaluation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.tierlimit.key.Caller;
import io.tierlimit.key.CallerExpression;
import io.tierlimit.key.Endpoint;
import io.tierlimit.key.KeyParts;
import io.tierlimit.key.KeyResolver;
import io.tierlimit.rule.Anonymous;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.Scope;

import org.jspecify.annotations.Nullable;

/**
 * Whose bucket a rule takes from: the parts of its scope, its key expression and, if it
 * lists plans, the plan.
 */
final class RuleKey {

	/** The endpoint of requests that nothing names. */
	private static final String UNMAPPED = "unmapped";

	private final List<String> names = new ArrayList<>();

	private final List<KeyPart> parts = new ArrayList<>();

	private final String rule;

	private final boolean addressStandsIn;

	private final Set<String> plans;

	private final OncePerRule failures;

	private final boolean readsArguments;

	private boolean needsAuthentication;

	RuleKey(Rule rule, Collection<String> arguments, Map<String, KeyResolver> resolvers, OncePerRule failures) {
		this.rule = rule.id();
		this.addressStandsIn = rule.scope().anonymous() == Anonymous.IP;
		this.plans = rule.limits().plans().keySet();
		this.failures = failures;
		for (String name : rule.scope().names()) {
			add(name, part(name, resolvers));
			this.needsAuthentication |= needsAuthentication(name, resolvers);
		}
		String key = rule.scope().key();
		CallerExpression expression = (key != null) ? CallerExpression.parse(key, arguments) : null;
		this.readsArguments = expression != null && expression.readsArguments();
		this.needsAuthentication |= !this.plans.isEmpty();
		if (expression != null) {
			this.needsAuthentication |= expression.readsIdentity();
			add("key", resolved((caller) -> {
				Object value = expression.evaluate(caller);
				return (value != null) ? value.toString() : null;
			}, "key '" + key + "'"));
		}
		if (!this.plans.isEmpty() && !rule.scope().names().contains(Scope.PLAN)) {
			add(Scope.PLAN, (parts, caller, endpoint) -> addPlan(parts, caller.plan()));
		}
	}

	boolean readsArguments() {
		return this.readsArguments;
	}

	boolean needsAuthentication() {
		return this.needsAuthentication;
	}

	private void add(String name, KeyPart part) {
		this.names.add(name);
		this.parts.add(part);
	}

	private KeyPart part(String name, Map<String, KeyResolver> resolvers) {
		return switch (name) {
			case Scope.IP -> (key, caller, endpoint) -> addAddress(key, caller, true);
			case Scope.USER -> (key, caller, endpoint) -> add(key, caller.user());
			case Scope.ENDPOINT -> RuleKey::addEndpoint;
			case Scope.PLAN -> (key, caller, endpoint) -> caller.user() != null && addPlan(key, caller.plan());
			default -> {
				KeyResolver resolver = resolvers.get(name);
				if (resolver == null) {
					throw new IllegalArgumentException("Rule '" + this.rule + "' has scope '" + name
							+ "', but known scopes are " + String.join(", ", Scope.BUILT_IN)
							+ " and the KeyResolver beans " + resolvers.keySet());
				}
				yield resolved(resolver, "KeyResolver '" + name + "'");
			}
		};
	}

	private static boolean needsAuthentication(String scope, Map<String, KeyResolver> resolvers) {
		return switch (scope) {
			case Scope.USER, Scope.PLAN -> true;
			case Scope.IP, Scope.ENDPOINT -> false;
			default -> {
				KeyResolver resolver = resolvers.get(scope);
				yield resolver != null && resolver.needsAuthentication();
			}
		};
	}

	private KeyPart resolved(KeyResolver resolver, String name) {
		return (key, caller, endpoint) -> {
			try {
				return add(key, resolver.resolve(caller));
			}
			catch (RuntimeException ex) {
				this.failures.warn(this.rule, "takes callers for anonymous where its " + name + " fails ("
						+ ex.getClass().getSimpleName() + ")");
				return false;
			}
		};
	}

	/**
	 * Makes the key.
	 * @return the key, or {@code null} if the caller lacks a part and the address doesn't
	 * stand in for it
	 */
	@Nullable String of(Caller caller, @Nullable String endpoint) {
		if (this.parts.isEmpty()) {
			return "";
		}
		KeyParts key = new KeyParts();
		for (int i = 0; i < this.parts.size(); i++) {
			if (this.parts.get(i).addTo(key, caller, endpoint)) {
				continue;
			}
			if (!this.addressStandsIn) {
				return null;
			}
			addAddress(key, caller, false);
			if (this.names.get(i).equals(Scope.PLAN) && !this.plans.isEmpty()) {
				// The limit is the plan's even where the address stands in.
				addPlan(key, caller.plan());
			}
		}
		return key.toString();
	}

	/** Makes the key out of what a program gives for the parts. */
	String of(Claim claim) {
		List<String> asked = this.names.stream().filter((name) -> !name.equals(Scope.PLAN)).toList();
		if (claim.key().size() != asked.size()) {
			throw new IllegalArgumentException("The key of rule '" + this.rule + "' has the parts " + asked
					+ ", but the claim has " + claim.key().size() + " of them");
		}
		Iterator<String> given = claim.key().iterator();
		KeyParts key = new KeyParts();
		for (String name : this.names) {
			if (name.equals(Scope.PLAN)) {
				addPlan(key, claim.plan());
			}
			else {
				key.add(given.next());
			}
		}
		return key.toString();
	}

	private static boolean add(KeyParts key, @Nullable String part) {
		if (part != null) {
			key.add(part);
		}
		return part != null;
	}

	private static boolean addAddress(KeyParts key, Caller caller, boolean proper) {
		String address = caller.ip();
		if (address == null) {
			key.addNone();
		}
		else if (proper) {
			key.add(address);
		}
		else {
			key.addAddress(address);
		}
		return true;
	}

	private static boolean addEndpoint(KeyParts key, Caller caller, @Nullable String endpoint) {
		Endpoint mapped = caller.endpoint();
		if (mapped != null) {
			key.add(mapped.toString());
		}
		else {
			key.add((endpoint != null) ? endpoint : UNMAPPED);
		}
		return true;
	}

	private boolean addPlan(KeyParts key, @Nullable String plan) {
		if (plan != null && (this.plans.isEmpty() || this.plans.contains(plan))) {
			key.add(plan);
		}
		else {
			key.addNone();
		}
		return true;
	}

}

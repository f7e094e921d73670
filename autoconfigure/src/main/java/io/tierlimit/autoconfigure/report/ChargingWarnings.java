package io.tierlimit.autoconfigure.report;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.option.outcome.ChargePolicy;
import io.tierlimit.rule.Rule;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds rules whose charge or reset-on has no effect, or is unsafe.
 */
final class ChargingWarnings {

	private static final String PUBLISHER = "org.springframework.security.authentication.AuthenticationEventPublisher";

	private final boolean requests;

	private final boolean events;

	private final Function<Rule, String> names;

	/**
	 * Creates a search.
	 * @param requests whether the application has a filter, which reads the outcome of
	 * requests
	 * @param beans has the publisher of authentication events
	 * @param names the names of rules in messages
	 */
	ChargingWarnings(boolean requests, ListableBeanFactory beans, Function<Rule, String> names) {
		this.requests = requests;
		this.events = publishes(beans);
		this.names = names;
	}

	private static boolean publishes(ListableBeanFactory beans) {
		ClassLoader loader = ChargingWarnings.class.getClassLoader();
		return ClassUtils.isPresent(PUBLISHER, loader)
				&& beans.getBeanNamesForType(ClassUtils.resolveClassName(PUBLISHER, loader), true, false).length > 0;
	}

	/** Finds such rules: full sentences for each. */
	List<String> warnings(Collection<CompiledRule> rules) {
		return rules.stream().flatMap(this::warnings).distinct().toList();
	}

	private Stream<String> warnings(CompiledRule compiled) {
		Rule rule = compiled.rule();
		ChargePolicy chargePolicy = rule.options().find(ChargePolicy.class);
		if (chargePolicy == null) {
			return Stream.empty();
		}
		String name = this.names.apply(rule);
		Stream.Builder<String> warnings = Stream.builder();
		if (!this.requests) {
			warnings.add(name + ": charge and reset-on have no effect, because only servlet applications have the "
					+ "outcome of requests. Remove them.");
		}
		else if (chargePolicy.waitsForAuthentication() && !this.events) {
			warnings.add(name + ": results of authentications are not published, because there is no "
					+ "AuthenticationEventPublisher bean. Define one, unless another component publishes them.");
		}
		if (chargePolicy.resetsOnStatus() && !compiled.key().identifiesAccounts()) {
			warnings.add(name + ": every client with an account of its own can reset the bucket by reset-on, because "
					+ "the key (" + rule.scope() + ") does not contain the account. Add the account to the key, or "
					+ "remove reset-on.");
		}
		if (chargePolicy.resetsOnStatus() && rule.selection().appliesTo() == AppliesTo.REQUESTS
				&& rule.selection().methods().isEmpty()) {
			warnings.add(name + ": a request with any HTTP method resets the bucket if its status is in reset-on, for "
					+ "example a GET request for the login page. Set methods to those of the login, such as POST.");
		}
		if (chargePolicy.resetsOnSuccess() && !compiled.key().identifiesAccounts()) {
			warnings.add(name + ": reset-on authentication-success has no effect, because the key (" + rule.scope()
					+ ") does not contain the account. Add the account to the key, or remove "
					+ "authentication-success from reset-on.");
		}
		return warnings.build();
	}

}

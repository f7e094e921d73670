package io.tierlimit.autoconfigure.report;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.rule.ChargePolicy;
import io.tierlimit.rule.Rule;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds rules to which it matters how requests end, and that are hardly meant so.
 */
final class ChargingWarnings {

	private static final String PUBLISHER = "org.springframework.security.authentication.AuthenticationEventPublisher";

	private final boolean requests;

	private final boolean events;

	/**
	 * Creates a report.
	 * @param requests whether the end of requests is seen
	 * @param beans where the publisher of authentication events is
	 */
	ChargingWarnings(boolean requests, ListableBeanFactory beans) {
		this.requests = requests;
		this.events = publishes(beans);
	}

	private static boolean publishes(ListableBeanFactory beans) {
		ClassLoader loader = ChargingWarnings.class.getClassLoader();
		return ClassUtils.isPresent(PUBLISHER, loader)
				&& beans.getBeanNamesForType(ClassUtils.resolveClassName(PUBLISHER, loader), true, false).length > 0;
	}

	/** What is odd: a sentence each, without its full stop. */
	List<String> warnings(Collection<CompiledRule> rules) {
		return rules.stream()
			.filter((rule) -> !rule.rule().chargePolicy().isStandard())
			.flatMap(this::warnings)
			.distinct()
			.toList();
	}

	private Stream<String> warnings(CompiledRule compiled) {
		Rule rule = compiled.rule();
		ChargePolicy chargePolicy = rule.chargePolicy();
		Stream.Builder<String> odd = Stream.builder();
		if (!this.requests) {
			odd.add("Rule '" + rule.id()
					+ "' is charged always: how requests end is seen in servlet applications only");
		}
		else if (chargePolicy.waitsForAuthentication() && !this.events) {
			odd.add("Rule '" + rule.id() + "' waits for authentications in vain, unless something else than an "
					+ "AuthenticationEventPublisher bean tells of them: there is none");
		}
		if (chargePolicy.resetsOnStatus() && !compiled.isKeyedByAccount()) {
			odd.add("Rule '" + rule.id() + "' has a reset-on, but its key (" + rule.scope()
					+ ") names no account: every client with an account of its own can reset the bucket. Put the "
					+ "account into the key, or leave reset-on to a rule that has it there");
		}
		if (chargePolicy.resetsOnSuccess() && !compiled.isKeyedByAccount()) {
			odd.add("Rule '" + rule.id() + "' is never reset by authentication-success: its key (" + rule.scope()
					+ ") names no account. Put the account into the key, or remove authentication-success from "
					+ "reset-on");
		}
		return odd.build();
	}

}

package io.tierlimit.autoconfigure;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.UnaryOperator;

import io.tierlimit.actuate.BucketQueries;
import io.tierlimit.actuate.InvalidRequestAdvisor;
import io.tierlimit.actuate.RateLimitOverridesEndpoint;
import io.tierlimit.actuate.RateLimitsEndpoint;
import io.tierlimit.actuate.ReloadDescriptor;
import io.tierlimit.actuate.RuleDescriptorFactory;
import io.tierlimit.actuate.RuleTotals;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.BucketLookup;
import io.tierlimit.evaluation.OverrideEditor;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.RuleReloader;
import io.tierlimit.evaluation.RuleSummary;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.offender.RuleOffenders;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.web.proxy.ClientAddresses;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Configures the management endpoints {@code ratelimits} and {@code ratelimitoverrides}.
 */
@AutoConfiguration(after = TierlimitAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RateLimitEvaluator.class)
// The health contributor shows the last reload, even if no endpoint is exposed.
@RegisterReflectionForBinding(ReloadDescriptor.class)
public final class TierlimitActuatorAutoConfiguration {

	@Bean
	@ConditionalOnAvailableEndpoint(RateLimitsEndpoint.class)
	RuleTotals rateLimitRuleTotals() {
		return new RuleTotals();
	}

	@Bean
	@ConditionalOnAvailableEndpoint(RateLimitsEndpoint.class)
	RuleOffenders rateLimitRuleOffenders(ActiveRules rules, Ticker ticker) {
		RuleOffenders offenders = new RuleOffenders(ticker, InstantSource.system());
		rules.whenReplaced(
				(set) -> offenders.retain(set.withDerived().stream().map((rule) -> rule.rule().id()).toList()));
		return offenders;
	}

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	RateLimitsEndpoint rateLimitsEndpoint(ActiveRules rules, RateLimitEvaluator evaluator, BucketStore store,
			RuleTotals totals, RuleOffenders offenders, ConfiguredRules configured, RuleReloader reloader,
			ObjectProvider<ClientAddresses> clients, BeanFactory beans) {
		ClientAddresses addresses = clients.getIfUnique();
		return new RateLimitsEndpoint(rules, store,
				new RuleDescriptorFactory(rules, totals, configured::origin,
						new RuleSummary(beans.containsBean(FilterOrders.AUTHENTICATED_FILTER_BEAN)), Instant.now()),
				new BucketQueries(new BucketLookup(rules, evaluator),
						(addresses != null) ? addresses::client : UnaryOperator.identity(), offenders),
				reloader);
	}

	@Bean
	@ConditionalOnAvailableEndpoint(RateLimitsEndpoint.class)
	InvalidRequestAdvisor rateLimitsParameters() {
		return new InvalidRequestAdvisor(RateLimitsEndpoint.ID, WebEndpointResponse.STATUS_BAD_REQUEST);
	}

	@Bean
	@ConditionalOnAvailableEndpoint(RateLimitOverridesEndpoint.class)
	InvalidRequestAdvisor rateLimitOverridesParameters() {
		return new InvalidRequestAdvisor(RateLimitOverridesEndpoint.ID, RateLimitOverridesEndpoint.UNPROCESSABLE);
	}

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	RateLimitOverridesEndpoint rateLimitOverridesEndpoint(ActiveRules rules, OverrideEditor editor,
			ObjectProvider<Clock> clock) {
		return new RateLimitOverridesEndpoint(rules, editor, clock.getIfUnique(Clock::systemUTC));
	}

}

package io.tierlimit.autoconfigure;

import java.util.List;

import io.tierlimit.rule.AppliesTo;
import io.tierlimit.rule.Rule;
import io.tierlimit.rule.RuleSet;
import io.tierlimit.store.BucketStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Says once, when all beans are made, what is enforced and where, and what is odd about
 * it.
 */
final class StartReport implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(StartReport.class);

	private final RuleSet rules;

	private final BucketStore store;

	private final boolean filter;

	StartReport(RuleSet rules, BucketStore store, boolean filter) {
		this.rules = rules;
		this.store = store;
		this.filter = filter;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.rules.rules().isEmpty()) {
			logger.warn("Tierlimit limits nothing: there are no rules. Write rules below tierlimit.rules, or set "
					+ "tierlimit.enabled to false.");
			return;
		}
		List<Rule> forRequests = this.rules.rules()
			.stream()
			.filter((rule) -> rule.selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
		if (!this.filter && !forRequests.isEmpty()) {
			logger.warn("Tierlimit holds no request to its " + count(forRequests.size(), "rule")
					+ ": this is no servlet application, and only servlet applications have its filter.");
		}
		else {
			logger.info("Tierlimit holds requests to " + count(forRequests.size(), "rule") + " (" + shadows(forRequests)
					+ " in shadow mode) in a servlet filter, with buckets in " + this.store.getClass().getSimpleName()
					+ ".");
		}
		OddRules.find(this.rules).forEach((odd) -> logger.warn(odd + "."));
	}

	private static long shadows(List<Rule> rules) {
		return rules.stream().filter(Rule::isShadow).count();
	}

	private static String count(int number, String noun) {
		return number + " " + noun + ((number == 1) ? "" : "s");
	}

}

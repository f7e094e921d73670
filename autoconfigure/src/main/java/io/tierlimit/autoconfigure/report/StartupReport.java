package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperationSource;
import io.tierlimit.rule.Rule;
import io.tierlimit.spi.BucketStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Logs once, when all beans are made, what is enforced and where, and warns of what has
 * no effect or is unsafe.
 */
public final class StartupReport implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(StartupReport.class);

	private final RateLimitEvaluator evaluator;

	private final BucketStore store;

	private final AnnotationWarnings methods;

	private final TierlimitProperties properties;

	private final ConfiguredRules configured;

	private final ConfigurableListableBeanFactory beans;

	/**
	 * Creates a report.
	 * @param evaluator has the rules in force
	 * @param store has the buckets
	 * @param scanner has the annotations of beans
	 * @param methods the rules of annotated methods
	 * @param properties the properties
	 * @param configured what was read
	 * @param beans the bean factory
	 */
	public StartupReport(RateLimitEvaluator evaluator, BucketStore store, RateLimitedBeanScanner scanner,
			RateLimitedOperationSource methods, TierlimitProperties properties, ConfiguredRules configured,
			ConfigurableListableBeanFactory beans) {
		this.evaluator = evaluator;
		this.store = store;
		this.methods = new AnnotationWarnings(scanner, methods, configured, beans);
		this.properties = properties;
		this.configured = configured;
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Set<String> named = this.methods.readAll();
		this.configured.warnings().forEach(logger::warn);
		List<Rule> rules = this.evaluator.rules().stream().map(CompiledRule::rule).toList();
		if (rules.isEmpty()) {
			logger.warn("Tierlimit limits nothing: there are no rules. Write rules below tierlimit.rules, or set "
					+ "tierlimit.enabled to false.");
			return;
		}
		List<Rule> forRequests = rules.stream()
			.filter((rule) -> rule.selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
		boolean filter = this.beans.containsBean(FilterOrders.FILTER_BEAN);
		if (!filter && !forRequests.isEmpty()) {
			logger.warn("Tierlimit holds no request to its " + count(forRequests.size(), "rule")
					+ ": this is no servlet application, and only servlet applications have its filter.");
		}
		List<String> held = new ArrayList<>();
		if (filter) {
			held.add(requests(forRequests) + stages());
		}
		if (!named.isEmpty()) {
			held.add(calls(named));
		}
		if (!held.isEmpty()) {
			logger.info("Tierlimit holds " + String.join(", and ", held) + ", with buckets in "
					+ this.store.getClass().getSimpleName() + (filter ? " and " + addresses().source() : "") + ".");
		}
		if (filter) {
			addresses().warnings().forEach((odd) -> logger.warn(odd + "."));
		}
		if (filter) {
			new PathWarnings(this.beans).find(forRequests).forEach((odd) -> logger.warn(odd + "."));
		}
		List<CompiledRule> compiled = Stream.concat(this.evaluator.rules().stream(), this.evaluator.variants().stream())
			.toList();
		RulesWithoutEffect search = new RulesWithoutEffect(named, usesLimiter());
		search.unused(rules).forEach((odd) -> logger.warn(odd + "."));
		search.free(compiled).forEach((odd) -> logger.warn(odd + "."));
		if (filter && this.properties.web().maxWaiting() == 0 && RulesWithoutEffect.anyWaits(compiled)) {
			logger.warn("Nothing waits for permits, whatever a max-wait says: tierlimit.web.max-waiting is 0.");
		}
		new ChargingWarnings(filter, this.beans).warnings(compiled).forEach((odd) -> logger.warn(odd + "."));
		warnOfUnkeyedHashes(compiled);
		this.methods.withoutProxy().forEach((odd) -> logger.warn(odd + "."));
	}

	/**
	 * Whether something other than Tierlimit takes client addresses from a header.
	 * @param environment has the properties of the server
	 * @param beans the bean factory
	 * @return whether it does
	 */
	public static boolean rewritesAddresses(Environment environment, ListableBeanFactory beans) {
		return AddressRewriterDetector.find(environment, beans) != null;
	}

	private ClientAddressWarnings addresses() {
		return new ClientAddressWarnings(this.properties.clientIp(),
				AddressRewriterDetector.find(this.beans.getBean(Environment.class), this.beans));
	}

	private void warnOfUnkeyedHashes(List<CompiledRule> rules) {
		TierlimitProperties.Keys keys = this.properties.keys();
		List<String> hashed = rules.stream()
			.filter((rule) -> (keys.hash() == KeyHashing.ALL) ? rule.hasKeyPerCaller() : rule.hasSensitiveKey())
			.map((rule) -> rule.rule().id())
			.distinct()
			.toList();
		if (keys.secret() == null && keys.hash() != KeyHashing.NONE && !hashed.isEmpty()) {
			logger.warn("The keys of " + hashed + " are hashed without a secret: whoever sees a hash, in the store or "
					+ "in a log, can test guesses of what a caller sent against it. Set tierlimit.keys.secret, the "
					+ "same in all instances.");
		}
	}

	private static String requests(List<Rule> rules) {
		Set<Rule> shadows = rules.stream().filter(Rule::isShadow).collect(Collectors.toSet());
		return "requests to " + count(rules.size(), "rule") + " (" + shadows.size()
				+ " in shadow mode) in a servlet filter";
	}

	private String stages() {
		if (!this.beans.containsBean(FilterOrders.AUTHENTICATED_FILTER_BEAN)) {
			return "";
		}
		long before = this.evaluator.rules()
			.stream()
			.filter((rule) -> rule.rule().selection().appliesTo() == AppliesTo.REQUESTS)
			.filter(Stage.BEFORE_AUTHENTICATION::decides)
			.count();
		return " on each side of Spring Security (" + before + " before it)";
	}

	private String calls(Set<String> rules) {
		return "calls of " + count(this.methods.count(), "annotated method") + " to " + count(rules.size(), "rule");
	}

	private boolean usesLimiter() {
		return this.beans.getDependentBeans("rateLimiter").length > 0;
	}

	private static String count(long number, String noun) {
		return number + " " + noun + ((number == 1) ? "" : "s");
	}

}

package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.tierlimit.AppliesTo;
import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.RulesInForce;
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
 * Logs once, when all beans are created, how many rules are enforced and where. Warns of
 * settings that have no effect or are unsafe.
 */
public final class StartupReport implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(StartupReport.class);

	private final RulesInForce rules;

	private final BucketStore store;

	private final AnnotationWarnings methods;

	private final TierlimitProperties properties;

	private final ConfiguredRules configured;

	private final ConfigurableListableBeanFactory beans;

	/**
	 * Creates a report.
	 * @param rules the rules in force
	 * @param store has the buckets
	 * @param scanner has the annotations of beans
	 * @param methods the rules of annotated methods
	 * @param properties the properties
	 * @param configured the rules that were read, and their warnings
	 * @param beans the bean factory
	 */
	public StartupReport(RulesInForce rules, BucketStore store, RateLimitedBeanScanner scanner,
			RateLimitedOperationSource methods, TierlimitProperties properties, ConfiguredRules configured,
			ConfigurableListableBeanFactory beans) {
		this.rules = rules;
		this.store = store;
		this.methods = new AnnotationWarnings(scanner, methods, rules, configured, beans);
		this.properties = properties;
		this.configured = configured;
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Set<String> named = this.methods.readAll();
		this.configured.warnings().forEach(logger::warn);
		List<Rule> rules = this.rules.current().all().stream().map(CompiledRule::rule).toList();
		if (rules.isEmpty()) {
			logger.warn("Tierlimit has no rules, so no limit is enforced. Define rules below tierlimit.rules, or set "
					+ "tierlimit.enabled to false.");
			return;
		}
		List<Rule> forRequests = rules.stream()
			.filter((rule) -> rule.selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
		boolean filter = this.beans.containsBean(FilterOrders.FILTER_BEAN);
		if (!filter && !forRequests.isEmpty()) {
			logger.warn("The rules " + forRequests.stream().map(Rule::id).toList() + " for requests have no effect, "
					+ "because this is not a servlet application. Remove them, or set their applies-to to methods.");
		}
		logSummary(forRequests, named, filter);
		if (this.configured.mode().mode() == RuleMode.SHADOW) {
			logger.warn(
					this.configured.mode().describe() + " Set tierlimit.mode to enforce when they should be enforced.");
		}
		if (filter) {
			addresses().warnings().forEach(logger::warn);
			PathWarnings paths = new PathWarnings(this.beans, this::name);
			paths.find(forRequests).forEach(logger::warn);
			paths.findOfLimits(this.properties.web().limitsPath(), forRequests).forEach(logger::warn);
			if (hasAuthentication()) {
				paths.findOfManagement(beforeAuthentication()).forEach(logger::warn);
			}
		}
		CompiledRules inForce = this.rules.current();
		List<CompiledRule> compiled = Stream.concat(inForce.all().stream(), inForce.variants().stream()).toList();
		RulesWithoutEffect search = new RulesWithoutEffect(named, usesLimiter(), this::name);
		search.unused(rules).forEach(logger::warn);
		search.free(compiled).forEach(logger::warn);
		search.over(inForce.all()).forEach(logger::warn);
		if (filter && !hasAuthentication()) {
			search.withoutUsers(forRequests).forEach(logger::warn);
		}
		if (filter && this.properties.web().maxWaiting() == 0 && RulesWithoutEffect.anyWaits(compiled)) {
			logger.warn("tierlimit.web.max-waiting is 0, so max-wait of rules has no effect. Set max-waiting to 1 or "
					+ "more, or remove max-wait.");
		}
		new ChargingWarnings(filter, this.beans, this::name).warnings(compiled).forEach(logger::warn);
		warnOfUnkeyedHashes(compiled);
		this.methods.withoutProxy().forEach(logger::warn);
	}

	private void logSummary(List<Rule> forRequests, Set<String> named, boolean filter) {
		List<String> parts = new ArrayList<>();
		if (filter) {
			parts.add("requests against " + count(forRequests.size(), "rule") + details(forRequests));
		}
		if (!named.isEmpty()) {
			parts.add("calls of " + count(this.methods.count(), "annotated method") + " against "
					+ count(named.size(), "rule"));
		}
		if (!parts.isEmpty()) {
			logger.info("Tierlimit checks " + String.join(", and ", parts) + ". Buckets are stored in " + storeName()
					+ "." + (filter ? " Client addresses are " + addresses().source() + "." : ""));
		}
	}

	private String name(Rule rule) {
		return "Rule '" + rule.id() + "' (" + this.configured.origin(rule.id()) + ")";
	}

	private String storeName() {
		return switch (this.store.name()) {
			case "memory" -> "memory";
			case "redis" -> "Redis";
			default -> this.store.name();
		};
	}

	/**
	 * Whether a component other than Tierlimit reads client addresses from a header.
	 * @param environment has the properties of the server
	 * @param beans the bean factory
	 * @return whether there is such a component
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
			.filter((rule) -> (keys.hash() == KeyHashing.ALL) ? rule.key().isPerCaller() : rule.key().isSensitive())
			.map((rule) -> rule.rule().id())
			.distinct()
			.toList();
		if (keys.secret() == null && keys.hash() != KeyHashing.NONE && !hashed.isEmpty()) {
			logger.warn("The keys of the rules " + hashed + " are hashed without a secret: anyone with access to a "
					+ "hash, in the store or in a log, can test guesses of the value against it. Set "
					+ "tierlimit.keys.secret to the same text in all instances.");
		}
	}

	/** The stages, if Spring Security separates them, and the rules in shadow mode. */
	private String details(List<Rule> rules) {
		List<String> details = new ArrayList<>();
		if (hasAuthentication()) {
			int before = beforeAuthentication().size();
			details.add(before + " before authentication, " + (rules.size() - before) + " after it");
		}
		long shadows = rules.stream().filter(Rule::isShadow).count();
		if (shadows > 0) {
			details.add(shadows + " in shadow mode");
		}
		return details.isEmpty() ? "" : " (" + String.join(", ", details) + ")";
	}

	/** Whether Spring Security's filter separates two stages. */
	private boolean hasAuthentication() {
		return this.beans.containsBean(FilterOrders.AUTHENTICATED_FILTER_BEAN);
	}

	private List<Rule> beforeAuthentication() {
		return this.rules.current()
			.all()
			.stream()
			.filter(Stage.BEFORE_AUTHENTICATION::decides)
			.map(CompiledRule::rule)
			.filter((rule) -> rule.selection().appliesTo() == AppliesTo.REQUESTS)
			.toList();
	}

	private boolean usesLimiter() {
		return this.beans.getDependentBeans("rateLimiter").length > 0;
	}

	private static String count(long number, String noun) {
		return number + " " + noun + ((number == 1) ? "" : "s");
	}

}

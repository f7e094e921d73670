package io.tierlimit.autoconfigure.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.tierlimit.RuleMode;
import io.tierlimit.autoconfigure.properties.FilterOrders;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.evaluation.CompiledRule;
import io.tierlimit.evaluation.CompiledRules;
import io.tierlimit.evaluation.RuleSummary;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.Stage;
import io.tierlimit.key.KeyHashing;
import io.tierlimit.method.RateLimitedBeanScanner;
import io.tierlimit.method.RateLimitedOperationSource;
import io.tierlimit.rule.Rule;
import io.tierlimit.store.BucketStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Logs once, when all beans are created, what the rules do. Warns of settings that have
 * no effect or are unsafe.
 *
 * @param rules the current rules
 * @param store has the buckets
 * @param scanner has the annotations of beans
 * @param methods the rules of annotated methods
 * @param properties the properties
 * @param configured the rules that were read, and their warnings
 * @param beans the bean factory
 */
public record StartupReport(ActiveRules rules, BucketStore store, RateLimitedBeanScanner scanner,
		RateLimitedOperationSource methods, TierlimitProperties properties, ConfiguredRules configured,
		ConfigurableListableBeanFactory beans) implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(StartupReport.class);

	private static final String PUBLISHER = "org.springframework.security.authentication.AuthenticationEventPublisher";

	@Override
	public void afterSingletonsInstantiated() {
		readAnnotations();
		this.scanner.whenMore(this::readAnnotations);
		Set<String> named = this.scanner.uses()
			.stream()
			.map((use) -> this.configured.read(use, this::rule))
			.filter(Objects::nonNull)
			.map(Rule::id)
			.collect(Collectors.toSet());
		this.configured.warnings().forEach(logger::warn);
		List<Rule> rules = this.rules.current().all().stream().map(CompiledRule::rule).toList();
		if (rules.isEmpty()) {
			logger.warn("Tierlimit has no rules, so no limit is enforced. Define rules below tierlimit.rules, or set "
					+ "tierlimit.enabled to false.");
			return;
		}
		List<Rule> forRequests = rules.stream().filter(Rule::appliesToRequests).toList();
		boolean filter = this.beans.containsBean(FilterOrders.FILTER_BEAN);
		if (!filter && !forRequests.isEmpty()) {
			logger.warn("The rules " + forRequests.stream().map(Rule::id).toList() + " for requests have no effect, "
					+ "because this is not a servlet application. Remove them, or set their applies-to to code.");
		}
		logSummary(forRequests, named, filter);
		RuleSummary summary = new RuleSummary(hasAuthentication());
		CompiledRules current = this.rules.current();
		current.all()
			.forEach((rule) -> logger.info("Rule '" + rule.rule().id() + "': " + summary.of(rule, current) + "."));
		if (this.configured.mode().mode() == RuleMode.SHADOW) {
			logger.warn(
					this.configured.mode().describe() + " Set tierlimit.mode to enforce when they should be enforced.");
		}
		if (filter) {
			addresses().warnings().forEach(logger::warn);
			PathWarnings paths = new PathWarnings(this.beans, this::name, logger::warn);
			paths.check(forRequests);
			paths.checkLimits(this.properties.web().limitsPath(), forRequests);
			if (hasAuthentication()) {
				paths.checkManagement(beforeAuthentication());
			}
		}
		List<CompiledRule> compiled = Stream
			.concat(this.rules.current().all().stream(), this.rules.current().variants().stream())
			.toList();
		boolean usesLimiter = this.beans.getDependentBeans("rateLimiter").length > 0;
		new RuleWarnings((rule) -> usesLimiter || rule.appliesToRequests() || named.contains(rule.id()),
				!filter || hasAuthentication(), publishesAuthentications(), this::name)
			.find(compiled)
			.forEach(logger::warn);
		warnOfUnkeyedHashes(compiled);
		this.scanner.withoutProxy(this.beans)
			.forEach((bean, type) -> logger
				.warn("@RateLimited on " + type.getTypeName() + " has no effect on the bean '" + bean
						+ "', which was created without a proxy. If a BeanPostProcessor requires the bean, inject an "
						+ "ObjectProvider of it there. Mocks have no proxy."));
	}

	/** Reads the annotations that were found since the last call. */
	private void readAnnotations() {
		this.configured.check(this.scanner, this::rule);
		this.methods.read(this.scanner, this.rules.current());
	}

	private @Nullable Rule rule(String id) {
		CompiledRule rule = this.rules.current().rule(id);
		return (rule != null) ? rule.rule() : null;
	}

	private void logSummary(List<Rule> forRequests, Set<String> named, boolean filter) {
		List<String> parts = new ArrayList<>();
		if (filter) {
			parts.add("requests against " + count(forRequests.size(), "rule") + details(forRequests));
		}
		if (!named.isEmpty()) {
			parts.add("calls to " + count(this.scanner.methods(), "annotated method") + " against "
					+ count(named.size(), "rule"));
		}
		if (!parts.isEmpty()) {
			logger.info("Tierlimit checks " + String.join(", and ", parts) + ". Buckets are stored in "
					+ (this.store.name().equals("redis") ? "Redis" : this.store.name()) + "."
					+ (filter ? " Client addresses are " + addresses().source() + "." : ""));
		}
	}

	private String name(Rule rule) {
		return "Rule '" + rule.id() + "' (" + this.configured.origin(rule.id()) + ")";
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
					+ "tierlimit.keys.secret to the same value in all instances.");
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
			.filter(Rule::appliesToRequests)
			.toList();
	}

	private boolean publishesAuthentications() {
		ClassLoader loader = StartupReport.class.getClassLoader();
		return ClassUtils.isPresent(PUBLISHER, loader) && this.beans
			.getBeanNamesForType(ClassUtils.resolveClassName(PUBLISHER, loader), true, false).length > 0;
	}

	private static String count(long number, String noun) {
		return number + " " + noun + ((number == 1) ? "" : "s");
	}

}

package io.tierlimit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.tierlimit.standalone.StandaloneRateLimiter;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks which packages each package uses, and that there are no cycles.
 */
@Tag("conventions")
class ArchitectureTests {

	/** All classes of the main code. */
	static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.withImportOption(new WithoutTestSupport())
		.importPackages("io.tierlimit");

	/** The package {@code io.tierlimit}. */
	private static final String API = "";

	/**
	 * For each package, the packages of this project that it may use, by their last
	 * names. The modules determine which libraries a package may use.
	 */
	private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(Map.entry("limit", Set.of()),
			Map.entry("store", Set.of("limit", "logging")), Map.entry("store.memory", Set.of("limit", "store")),
			Map.entry("store.shard", Set.of("limit", "store")), Map.entry("logging", Set.of()),
			Map.entry("store.redis", Set.of("limit", "store", "store.memory", "store.shard", "logging", "task")),
			Map.entry("task", Set.of()), Map.entry("address", Set.of()), Map.entry(API, Set.of("limit", "store")),
			Map.entry("spi", Set.of(API)), Map.entry("rule", Set.of(API, "limit")),
			Map.entry("rule.reader", Set.of("rule", "limit")),
			Map.entry("key", Set.of(API, "spi", "store", "rule", "logging", "address")),
			Map.entry("option", Set.of(API, "spi", "store", "rule", "rule.reader", "key", "limit")),
			Map.entry("option.adaptive",
					Set.of(API, "option", "spi", "store", "rule", "rule.reader", "key", "limit", "task", "logging")),
			Map.entry("option.ban", Set.of(API, "option", "store", "rule", "rule.reader", "key", "limit")),
			Map.entry("option.candidate", Set.of(API, "option", "rule", "rule.reader", "key", "limit")),
			Map.entry("option.concurrency", Set.of("option", "rule", "key")),
			Map.entry("option.condition", Set.of("option", "spi", "rule", "rule.reader", "key", "logging")),
			Map.entry("option.outcome", Set.of("option", "rule", "rule.reader", "key")),
			Map.entry("option.override", Set.of("option", "spi", "store", "rule", "key", "limit", "address")),
			Map.entry("option.plan", Set.of("option", "rule", "key", "limit")),
			Map.entry("option.schedule", Set.of("option", "rule", "rule.reader")),
			Map.entry("option.settlement", Set.of("option", "spi", "rule", "rule.reader", "key", "limit", "logging")),
			Map.entry("option.shard", Set.of("option", "store", "store.shard", "rule", "rule.reader", "limit")),
			Map.entry("option.share", Set.of("option", "store", "rule", "rule.reader")),
			Map.entry("option.wait", Set.of("option", "store", "rule", "rule.reader", "limit")),
			Map.entry("option.standard",
					Set.of("option", "spi", "store", "rule", "key", "logging", "option.adaptive", "option.ban",
							"option.concurrency", "option.condition", "option.outcome", "option.candidate",
							"option.override", "option.plan", "option.schedule", "option.settlement", "option.shard",
							"option.share", "option.wait")),
			Map.entry("evaluation",
					Set.of(API, "spi", "store", "store.shard", "rule", "key", "option", "limit", "logging")),
			Map.entry("standalone",
					Set.of(API, "logging", "store", "store.shard", "rule", "rule.reader", "key", "option",
							"option.adaptive", "option.standard", "evaluation")),
			Map.entry("method", Set.of(API, "evaluation", "rule")),
			Map.entry("event", Set.of(API, "spi", "store", "limit", "logging")),
			Map.entry("offender", Set.of(API, "spi", "store", "limit")), Map.entry("jdbc", Set.of("task")),
			Map.entry("audit.jdbc", Set.of(API, "spi", "store", "key", "jdbc", "limit", "task", "logging")),
			Map.entry("rule.jdbc", Set.of("spi", "jdbc")),
			Map.entry("plan.jdbc", Set.of("spi", "store", "evaluation", "jdbc", "task")),
			Map.entry("spi.web", Set.of(API)), Map.entry("web.proxy", Set.of("address")),
			Map.entry("web.header", Set.of(API, "limit")),
			Map.entry("web", Set.of(API, "spi", "spi.web", "evaluation", "rule", "key", "web.header", "web.proxy")),
			Map.entry("web.mvc", Set.of(API, "spi", "web")),
			Map.entry("web.openapi", Set.of(API, "limit", "evaluation", "rule", "web", "web.header")),
			Map.entry("security", Set.of("spi", "evaluation", "rule", "key")),
			Map.entry("graphql", Set.of(API, "web.header")), Map.entry("client", Set.of(API, "limit")),
			Map.entry("metrics", Set.of(API, "spi", "store", "evaluation", "option", "rule", "limit")),
			Map.entry("actuate",
					Set.of(API, "spi", "store", "evaluation", "option", "offender", "rule", "key", "limit", "logging")),
			Map.entry("autoconfigure.properties", Set.of("jdbc", "key", "limit", "web", "web.header", "web.proxy")),
			Map.entry("autoconfigure.environment", Set.of("autoconfigure.properties", "rule.reader")),
			Map.entry("autoconfigure.settings",
					Set.of("autoconfigure.environment", "autoconfigure.properties", "store", "rule", "rule.reader",
							"key", "limit", "web.header", "web.proxy", "address")),
			Map.entry("autoconfigure.rules",
					Set.of("autoconfigure.environment", "autoconfigure.properties", "autoconfigure.settings", "method",
							API, "evaluation", "option", "option.standard", "spi", "store", "rule", "rule.reader",
							"key", "limit", "web", "web.proxy", "address")),
			Map.entry("autoconfigure.reload", Set.of("evaluation", "task")),
			Map.entry("autoconfigure.report",
					Set.of(API, "autoconfigure.properties", "autoconfigure.rules", "evaluation", "option",
							"option.outcome", "option.schedule", "method", "store", "rule", "key", "limit", "web",
							"web.proxy", "address")));

	/** Packages that do not use Spring although their modules do. */
	private static final List<String> WITHOUT_SPRING = List.of(API, "spi", "rule", "option", "option.adaptive",
			"option.ban", "option.candidate", "option.concurrency", "option.condition", "option.override",
			"option.plan", "option.schedule", "option.settlement", "option.shard", "option.share", "option.standard",
			"option.wait", "evaluation", "standalone", "event", "offender", "address", "task", "web.header",
			"web.proxy", "spi.web");

	@Test
	void packagesUseWhatTheTableAllows() {
		packageTable().check(CLASSES);
	}

	@Test
	void mostPackagesDoNotUseSpring() {
		ArchRuleDefinition.noClasses()
			.that()
			.resideInAnyPackage(qualified(WITHOUT_SPRING))
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.check(CLASSES);
	}

	/** {@code RateLimiter.of} is the only call from a lower package to a higher one. */
	@Test
	void packagesHaveNoCycles() {
		SlicesRuleDefinition.slices()
			.matching("io.tierlimit.(**)")
			.should()
			.beFreeOfCycles()
			.ignoreDependency(RateLimiter.class, StandaloneRateLimiter.class)
			.check(CLASSES);
	}

	/** Only the auto-configuration checks whether a library is present. */
	@Test
	void noLibraryLooksForOthers() {
		ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackage("io.tierlimit.autoconfigure..")
			.and()
			.doNotHaveFullyQualifiedName("io.tierlimit.web.mvc.ApiVersions")
			.should()
			.callMethod(ClassUtils.class, "isPresent", String.class, ClassLoader.class)
			.check(CLASSES);
	}

	@Test
	void classesThatReadRulesHaveNoCycles() {
		SlicesRuleDefinition.slices().assignedFrom(new SliceAssignment() {

			@Override
			public SliceIdentifier getIdentifierOf(JavaClass type) {
				String name = type.getName();
				return name.startsWith("io.tierlimit.autoconfigure.rules.")
						? SliceIdentifier.of(name.replaceFirst("\\$.*", "")) : SliceIdentifier.ignore();
			}

			@Override
			public String getDescription() {
				return "classes that read rules";
			}

		}).should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void everyPackageIsInTheTable() {
		ArchRuleDefinition.classes().should().resideInAnyPackage(known()).check(CLASSES);
	}

	@Test
	void everyPackageIsNullMarked() {
		assertThat(CLASSES).isNotEmpty()
			.allSatisfy((type) -> assertThat(type.getPackage().tryGetPackageInfo()).isPresent()
				.hasValueSatisfying((info) -> assertThat(info.isAnnotatedWith(NullMarked.class)).isTrue()));
	}

	private static String[] qualified(Collection<String> names) {
		return names.stream()
			.map((name) -> name.equals(API) ? "io.tierlimit" : "io.tierlimit." + name)
			.toArray(String[]::new);
	}

	private static String[] known() {
		List<String> names = new ArrayList<>(ALLOWED.keySet());
		names.add("autoconfigure");
		return qualified(names);
	}

	private static ArchRule packageTable() {
		List<ArchRule> rules = new ArrayList<>();
		ALLOWED.forEach((name, others) -> {
			List<String> allowed = new ArrayList<>(others);
			allowed.add(name);
			rules.add(ArchRuleDefinition.noClasses()
				.that()
				.resideInAnyPackage(qualified(List.of(name)))
				.and()
				.doNotBelongToAnyOf(RateLimiter.class)
				.should()
				.dependOnClassesThat(JavaClass.Predicates.resideInAPackage("io.tierlimit..")
					.and(JavaClass.Predicates.resideOutsideOfPackages(qualified(allowed)))));
		});
		return CompositeArchRule.of(rules);
	}

	/**
	 * Excludes the code that tests share, which is in its own packages, and in jars with
	 * test classes.
	 */
	static final class WithoutTestSupport implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("-tests.jar") && Stream.of("junit", "redis", "database")
				.noneMatch((support) -> location.contains("/io/tierlimit/" + support + "/"));
		}

	}

}

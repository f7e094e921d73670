package io.tierlimit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
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
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the package table of docs/architecture.md.
 */
@Tag("conventions")
class ArchitectureTests {

	/** All classes of the main code. */
	static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.withImportOption(new WithoutTestSupport())
		.importPackages("io.tierlimit");

	private static final List<String> EVERYWHERE = List.of("java..", "org.jspecify..");

	private static final String LOGGING = "org.apache.commons.logging..";

	/** The package {@code io.tierlimit}. */
	private static final String API = "";

	/** The package {@code io.tierlimit.logging}. */
	private static final String OWN_LOGGING = "logging";

	/**
	 * What a package may use in addition to java.* and JSpecify: ours by their last
	 * names.
	 */
	private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(Map.entry("limit", Set.of()),
			Map.entry("rule", Set.of(API, "limit")),
			Map.entry("rule.reader",
					Set.of("rule", "limit", "org.springframework.boot.convert..", "org.springframework.core.convert..",
							"org.springframework.util..")),
			Map.entry(API, Set.of("limit")), Map.entry(OWN_LOGGING, Set.of(LOGGING)), Map.entry("task", Set.of()),
			Map.entry("spi", Set.of(API, "limit", "jakarta.servlet..")),
			Map.entry("key",
					Set.of(API, "spi", "rule", "org.springframework.expression..", "org.springframework.util..",
							"org.springframework.aot.hint..", "javax.crypto..", OWN_LOGGING)),
			Map.entry("method",
					Set.of(API, "evaluation", "rule", "org.springframework.aop..", "org.aopalliance..",
							"org.springframework.beans..", "org.springframework.core..", "org.springframework.aot..",
							"org.springframework.util..")),
			Map.entry("security",
					Set.of("spi", "evaluation", "rule", "key", "org.springframework.security..",
							"org.springframework.context..", "org.springframework.core..",
							"org.springframework.web.servlet..", "jakarta.servlet..")),
			Map.entry("jdbc",
					Set.of("task", LOGGING, "javax.sql..", "org.postgresql", "org.springframework.context..",
							"org.springframework.core..", "org.springframework.jdbc..",
							"org.springframework.transaction..", "org.springframework.util..")),
			Map.entry("audit.jdbc",
					Set.of(API, "spi", "key", "jdbc", "limit", "task", LOGGING, OWN_LOGGING,
							"org.springframework.context..", "org.springframework.core..", "org.springframework.dao..",
							"org.springframework.jdbc..", "org.springframework.transaction..")),
			Map.entry("rule.jdbc",
					Set.of("spi", "jdbc", "org.springframework.core..", "org.springframework.dao..",
							"org.springframework.jdbc..", "org.springframework.transaction..")),
			Map.entry("plan.jdbc",
					Set.of("spi", "evaluation", "jdbc", "task", "org.springframework.context..",
							"org.springframework.dao..", "org.springframework.jdbc..", "org.springframework.util..")),
			Map.entry("store", Set.of("spi", "limit", LOGGING, OWN_LOGGING)),
			Map.entry("offender", Set.of(API, "spi", "limit")),
			Map.entry("store.redis",
					Set.of("store", "spi", "limit", LOGGING, OWN_LOGGING, "org.springframework.data.redis..",
							"org.springframework.util..", "org.springframework.dao..", "org.springframework.beans..",
							"io.lettuce.core..", "redis.clients.jedis..", "org.apache.commons.pool2..",
							"io.github.resilience4j..")),
			Map.entry("option", Set.of(API, "spi", "rule", "rule.reader", "key", "limit")),
			Map.entry("option.adaptive",
					Set.of(API, "option", "spi", "rule", "rule.reader", "key", "limit", "task", OWN_LOGGING)),
			Map.entry("option.ban", Set.of(API, "option", "spi", "rule", "rule.reader", "key", "limit")),
			Map.entry("option.candidate", Set.of(API, "option", "key", "rule", "rule.reader", "limit")),
			Map.entry("option.condition", Set.of("option", "spi", "rule", "rule.reader", "key", OWN_LOGGING)),
			Map.entry("option.outcome", Set.of("option", "rule", "rule.reader", "key", "org.springframework.util..")),
			Map.entry("option.override", Set.of("option", "spi", "rule", "key", "limit", "address")),
			Map.entry("option.plan", Set.of("option", "rule", "key")),
			Map.entry("option.schedule", Set.of("option", "rule", "rule.reader", "key")),
			Map.entry("option.share", Set.of(API, "option", "spi", "rule", "rule.reader", "key")),
			Map.entry("option.standard",
					Set.of("option", "spi", "rule", "key", OWN_LOGGING, "option.adaptive", "option.ban",
							"option.condition", "option.outcome", "option.candidate", "option.override", "option.plan",
							"option.schedule", "option.share", "option.wait")),
			Map.entry("option.wait", Set.of("option", "spi", "rule", "rule.reader", "key", "limit")),
			Map.entry("evaluation", Set.of(API, "spi", "rule", "key", "option", "limit", OWN_LOGGING)),
			Map.entry("web",
					Set.of(API, "spi", "evaluation", "rule", "key", "web.header", "address", LOGGING,
							"jakarta.servlet..", "org.springframework.http..", "org.springframework.web",
							"org.springframework.web.method..", "org.springframework.web.multipart..",
							"org.springframework.web.util..", "org.springframework.web.context.request..",
							"org.springframework.web.cors..", "org.springframework.context.i18n..",
							"org.springframework.boot.json..", "org.springframework.util..")),
			Map.entry("client", Set.of(API, "limit", "org.springframework.http..")),
			Map.entry("web.mvc",
					Set.of("web", API, "spi", LOGGING, "jakarta.servlet..", "org.springframework.web..",
							"org.springframework.aop..", "org.springframework.beans..", "org.springframework.core..",
							"org.springframework.http..", "org.springframework.util..")),
			Map.entry("web.openapi",
					Set.of(API, "evaluation", "rule", "web.header", "web", "org.springdoc.core..",
							"io.swagger.v3.oas.models..", "org.springframework.web.method..")),
			Map.entry("graphql",
					Set.of(API, "rule", "web.header", "org.springframework.graphql..", "graphql..",
							"org.springframework.core..", "reactor.core..")),
			Map.entry("metrics",
					Set.of(API, "spi", "evaluation", "option", "rule", "store", "limit", "io.micrometer..")),
			Map.entry("event",
					Set.of(API, "spi", "rule", "store", "limit", OWN_LOGGING, "org.springframework.context..",
							"org.slf4j..")),
			Map.entry("actuate", Set.of(API, "spi", "evaluation", "option", "offender", "rule", "key", "limit", LOGGING,
					OWN_LOGGING, "org.springframework.boot.actuate..", "org.springframework.boot.health..",
					"org.springframework.lang..", "org.springframework.aot..", "com.fasterxml.jackson.annotation")),
			Map.entry("address", Set.of("jakarta.servlet..")), Map.entry("web.header", Set.of(API, "rule", "limit")),
			Map.entry("autoconfigure.properties",
					Set.of("jdbc", "key", "limit", "web", "web.header", "address",
							"org.springframework.boot.context.properties..", "org.springframework.core..",
							"org.springframework.util..")),
			Map.entry("autoconfigure.environment",
					Set.of("autoconfigure.properties", "rule.reader", "org.springframework..")),
			Map.entry("autoconfigure.settings",
					Set.of("autoconfigure.environment", "autoconfigure.properties", "rule", "rule.reader", "key",
							"limit", "spi", "web", "web.header", "address", LOGGING, "javax.sql..",
							"org.springframework..")),
			Map.entry("autoconfigure.rules",
					Set.of("autoconfigure.environment", "autoconfigure.properties", "autoconfigure.settings", "method",
							API, "evaluation", "option", "option.standard", "option.wait", "spi", "rule", "rule.reader",
							"key", "limit", "web", "web.header", "address", LOGGING, "javax.sql..",
							"org.springframework..")),
			Map.entry("autoconfigure.reload",
					Set.of("autoconfigure.properties", "evaluation", "task", LOGGING, "org.springframework..")),
			Map.entry("autoconfigure.report",
					Set.of(API, "autoconfigure.properties", "autoconfigure.rules", "evaluation", "option",
							"option.outcome", "option.schedule", "method", "spi", "rule", "key", "limit", "web",
							"address", LOGGING, "org.springframework..")));

	@Test
	void packagesUseWhatTheTableAllows() {
		packageTable().check(CLASSES);
	}

	@Test
	void noClassImportsTheAutoConfiguration() {
		ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackage("io.tierlimit.autoconfigure..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.tierlimit.autoconfigure..")
			.check(CLASSES);
	}

	@Test
	void packagesHaveNoCycles() {
		SlicesRuleDefinition.slices().matching("io.tierlimit.(**)").should().beFreeOfCycles().check(CLASSES);
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

	private static String qualified(String name) {
		return name.equals(API) ? "io.tierlimit" : "io.tierlimit." + name;
	}

	private static String[] known() {
		List<String> packages = new ArrayList<>(List.of("io.tierlimit.autoconfigure"));
		ALLOWED.keySet().forEach((name) -> packages.add(qualified(name)));
		return packages.toArray(String[]::new);
	}

	private static ArchRule packageTable() {
		List<ArchRule> rules = new ArrayList<>();
		ALLOWED.forEach((name, allowed) -> {
			List<String> packages = new ArrayList<>(EVERYWHERE);
			packages.add(qualified(name));
			allowed.forEach(
					(other) -> packages.add(other.startsWith("org.") || other.startsWith("com.") || other.endsWith("..")
							? other : qualified(other)));
			rules.add(ArchRuleDefinition.classes()
				.that()
				.resideInAPackage(qualified(name))
				.should()
				.onlyDependOnClassesThat(DescribedPredicate
					.or(JavaClass.Predicates.resideInAnyPackage(packages.toArray(String[]::new)), DescribedPredicate
						.describe("are primitives or arrays of these", (type) -> type.getPackageName().isEmpty()))));
		});
		return CompositeArchRule.of(rules);
	}

	/** The support for tests with real servers is in modules of its own. */
	static final class WithoutTestSupport implements ImportOption {

		@Override
		public boolean includes(Location location) {
			return !location.contains("redis-test-support") && !location.contains("database-test-support");
		}

	}

}

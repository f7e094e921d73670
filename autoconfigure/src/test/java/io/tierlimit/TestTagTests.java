package io.tierlimit;

import java.util.List;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.tierlimit.application.RunningApplication;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.redis.RedisCluster;
import io.tierlimit.redis.RedisSentinels;
import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;

/**
 * Checks that tests without a tag start nothing, so that {@code mvn test} is fast.
 */
@AnalyzeClasses(packages = "io.tierlimit", importOptions = ImportOption.OnlyIncludeTests.class)
@Tag("conventions")
class TestTagTests {

	private static final List<Class<?>> STARTED = List.of(ProcessBuilder.class, RedisCluster.class,
			RedisSentinels.class, RedisServer.class, RunningApplication.class, TestDatabase.class);

	@ArchTest
	static final ArchRule testThatStartsSomethingHasATag = ArchRuleDefinition.noClasses()
		.that()
		.haveSimpleNameEndingWith("Tests")
		.and(DescribedPredicate.describe("have no tag", (type) -> !isTagged(type)))
		.should()
		.transitivelyDependOnClassesThat(DescribedPredicate.describe("start a process, a server or an application",
				(type) -> STARTED.stream().anyMatch((started) -> type.isEquivalentTo(started))));

	private static boolean isTagged(JavaClass type) {
		return type.isAnnotatedWith(Tag.class) || type.getRawSuperclass().filter(TestTagTests::isTagged).isPresent();
	}

}

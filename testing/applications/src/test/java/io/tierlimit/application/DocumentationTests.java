package io.tierlimit.application;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.tierlimit.autoconfigure.rules.ConfiguredRules;
import io.tierlimit.database.TestDatabase;
import io.tierlimit.evaluation.RateLimitEvaluator;
import io.tierlimit.limit.LeakyBucket;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.rule.PlanLimit;
import io.tierlimit.rule.RuleLimits;
import io.tierlimit.spi.OverloadSignal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts Tierlimit with every YAML example of the documentation, and compares the
 * documentation with the sources and the tests that it shows or links to.
 */
@Tag("conventions")
class DocumentationTests {

	private static final Pattern YAML = Pattern.compile("```yaml\\n(tierlimit:.*?)```", Pattern.DOTALL);

	private static final List<String> FEATURES = List.of("`adaptive`", "`ban`", "`candidate`", "`max-wait`",
			"overrides", "plans", "shadow mode", "schedules", "`charge-on`", "forwards", "HTTP/2",
			"asynchronous requests", "`shards`", "`concurrency`", "`actual-cost`");

	/** A row of the table of pairs of features. */
	private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+?) \\| (.+?) \\| (.+?\\.) \\| (.+) \\|$");

	/** The name of a test, the name of its method, and the path of the test. */
	private static final Pattern TEST = Pattern.compile("\\[(\\w+)#(\\w+)]\\(([^)]+\\.java)\\)");

	/** A secret that is written out, or the default of a placeholder. */
	private static final Pattern SECRET = Pattern.compile("(?m)^[ #]*secret: (?!\\$\\{[A-Z_]+}$).*$");

	/**
	 * Tierlimit's own, except those whose libraries these tests do not have, and the
	 * connections to Redis.
	 */
	private static final AutoConfigurations TIERLIMIT = AutoConfigurations.of(Stream
		.concat(ImportCandidates.load(AutoConfiguration.class, null)
			.getCandidates()
			.stream()
			.filter((name) -> name.matches("io\\.tierlimit\\.autoconfigure\\.Tierlimit(?!OpenApi|Cloud).*"))
			.map((name) -> ClassUtils.resolveClassName(name, null)), Stream.of(DataRedisAutoConfiguration.class))
		.toArray(Class<?>[]::new));

	private static final String EVIDENCE = "contributing/evidence";

	@Test
	void documentationHasExamples() throws IOException {
		assertThat(examples()).hasSizeGreaterThan(5);
	}

	@ParameterizedTest
	@MethodSource("examples")
	void exampleStarts(String yaml) {
		assertStarts(List.of(yaml));
	}

	/** Uses the algorithm with the most properties. */
	@Test
	void allPropertiesStartWithTheirExamples() {
		assertStarts(DocumentationPage.of("reference")
			.blocks("yaml")
			.stream()
			.map((block) -> block.replaceAll("(?m)^( *)#(?! )", "$1")
				.replaceAll("(?m)^ +(burst|limit|max-duration|retry-after-hint): .*\\n", "")
				.replace("algorithm: token-bucket", "algorithm: fixed-window")
				.replace("store: auto", "store: memory")
				// An override is for a user, an address or a key.
				.replace("address: 203.0.113.0/24", "")
				.replace("key: user:acme", "")
				.replace("${TIERLIMIT_KEYS_SECRET}", "a secret for a test"))
			.toList());
	}

	private static void assertStarts(List<String> documents) {
		YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
		reader.setResources(documents.stream()
			.map((yaml) -> new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
			.toArray(Resource[]::new));
		Properties properties = reader.getObject();
		assertThat(properties).isNotEmpty();
		new WebApplicationContextRunner().withConfiguration(TIERLIMIT)
			.withBean("connectionPool", OverloadSignal.class, () -> () -> false)
			.withBean(DataSource.class, () -> new DriverManagerDataSource(TestDatabase.H2.create()))
			.withInitializer((context) -> {
				context.getEnvironment().setConversionService(new ApplicationConversionService());
				context.getEnvironment()
					.getPropertySources()
					.addFirst(new PropertiesPropertySource("example", properties));
			})
			.run((context) -> assertThat(context).as(documents.toString())
				.hasNotFailed()
				.hasSingleBean(ConfiguredRules.class)
				.hasSingleBean(RateLimitEvaluator.class));
	}

	@Test
	void attacksFaultsAndPairsOfFeaturesAreLinkedToTestsThatExist() {
		List<MatchResult> links = TEST.matcher(DocumentationPage.of(EVIDENCE).text()).results().toList();
		assertThat(links).hasSizeGreaterThan(250).allSatisfy((link) -> {
			Path file = Path.of("../../docs/contributing").resolve(link.group(3)).normalize();
			assertThat(file).hasFileName(link.group(1) + ".java");
			assertThat(DocumentationPage.read(file)).as(link.group())
				.containsPattern("@\\w*Test\\b.*\\n(\\t@.*\\n(\\t\\t.*\\n)*)*\\tvoid " + link.group(2) + "\\(");
		});
	}

	@Test
	void eachPairOfFeaturesIsNamedOnce() {
		List<String> pairs = new ArrayList<>();
		for (int i = 0; i < FEATURES.size(); i++) {
			for (int j = i + 1; j < FEATURES.size(); j++) {
				pairs.add(FEATURES.get(i) + " with " + FEATURES.get(j));
			}
		}
		assertThat(pairs()).hasSize(105)
			.extracting((row) -> row.group(1) + " with " + row.group(2))
			.containsExactlyElementsOf(pairs);
	}

	@Test
	void eachPairOfFeaturesHasATest() {
		assertThat(pairs()).allSatisfy((row) -> assertThat(TEST.matcher(row.group(4)).results()).isNotEmpty()
			.hasSameSizeAs(row.group(4).split(", ")));
	}

	private static List<MatchResult> pairs() {
		String page = DocumentationPage.of(EVIDENCE).text();
		Matcher row = ROW.matcher(page.substring(page.indexOf("\n## Pairs of features\n")));
		return row.results().toList();
	}

	/** A copy would hash keys with a published secret, without a warning. */
	@ParameterizedTest
	@ValueSource(strings = { "../../docs", "src/test/resources/recipes", "../../sample-app/src/main/resources" })
	void noExampleHasASecret(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			assertThat(files.filter((file) -> file.toString().matches(".*\\.(md|yml)"))).isNotEmpty()
				.allSatisfy((file) -> assertThat(DocumentationPage.read(file)).doesNotContainPattern(SECRET));
		}
	}

	/** The page contains the part of the source between two strings. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-",
			textBlock = """
					testing        | ../../testing/test-support/src/test/java/io/tierlimit/search/SearchLimitTests.java             | @SpringBootTest           | -
					contributing/stores | ../../testing/backends/src/test/java/io/tierlimit/example/JdbcBucketStore.java             | public final class        | -
					contributing/stores | ../../testing/backends/src/test/resources/io/tierlimit/example/bucket.sql                  | -                         | -
					outgoing-calls | ../../sample-app/src/main/java/io/tierlimit/sample/partner/PriceImport.java            | synchronized void start() | /** Stops writing
					headers        | src/test/java/io/tierlimit/application/FilterTests.java                             | begins here.              | // What docs/headers.md shows ends
					methods-and-code | src/test/java/io/tierlimit/application/RulesInCode.java                             | import                    | -
					actual-costs   | src/test/java/io/tierlimit/application/Completions.java                             | import                    | -
					outgoing-calls | src/test/java/io/tierlimit/application/PartnerClients.java                          | import                    | -
					without-spring-boot | ../../testing/compatibility/src/it/lines/plain/src/main/java/com/example/exports/Exports.java | import | -
					without-spring-boot | ../../testing/compatibility/src/it/lines/plain/src/main/java/com/example/exports/SharedExports.java | import | -
					migrating-from-bucket4j | ../../testing/compatibility/src/it/lines/migration/src/main/resources/bucket4j.yml | - | -
					migrating-from-bucket4j | ../../testing/compatibility/src/it/lines/migration/src/main/resources/tierlimit-from-bucket4j.yml | - | -
					migrating-from-bucket4j | ../../testing/compatibility/src/it/lines/migration/src/main/java/com/example/moving/OldExports.java | @Service | -
					migrating-from-bucket4j | ../../testing/compatibility/src/it/lines/migration/src/main/java/com/example/moving/NewExports.java | @Service | -
					migrating-from-resilience4j | ../../testing/compatibility/src/it/lines/migration/src/main/resources/resilience4j.yml | - | -
					migrating-from-resilience4j | ../../testing/compatibility/src/it/lines/migration/src/main/resources/tierlimit-from-resilience4j.yml | - | -
					migrating-from-resilience4j | ../../testing/compatibility/src/it/lines/migration/src/main/java/com/example/moving/OldQuotes.java | @Service | -
					migrating-from-resilience4j | ../../testing/compatibility/src/it/lines/migration/src/main/java/com/example/moving/NewQuotes.java | @Service | -
					migrating-from-resilience4j | ../../testing/compatibility/src/it/lines/migration/src/main/java/com/example/moving/SavedQuotes.java | @Service | -
					""")
	void documentedSourceIsTheOneThatRuns(String page, Path file, @Nullable String from, @Nullable String to) {
		String source = DocumentationPage.read(file);
		String shown = source.substring((from != null) ? source.lastIndexOf('\n', source.indexOf(from)) + 1 : 0,
				(to != null) ? source.indexOf(to) : source.length());
		assertThat(DocumentationPage.of(page).text())
			.contains(shown.replaceFirst(".*begins here\\.\n", "").stripTrailing().stripIndent().strip());
	}

	@Test
	void documentedRulesInCodeAreActiveWithTheirLimits() {
		Rate rate = new Rate(10, Duration.ofSeconds(1));
		new WebApplicationContextRunner().withUserConfiguration(TestApplication.class, RulesInCode.class)
			.withPropertyValues("tierlimit.store=memory")
			.run((context) -> assertThat(context.getBean(ConfiguredRules.class).rules().rules())
				.satisfiesExactlyInAnyOrder((rule) -> {
					assertThat(rule.id()).isEqualTo("searches");
					assertThat(rule.limits().standard()).isEqualTo(new TokenBucket(rate, 600));
					assertThat(rule.limits().plans())
						.containsEntry("pro", new PlanLimit(new TokenBucket(Rate.parse("100/s"), 2000)))
						.containsEntry("partner", PlanLimit.UNLIMITED);
				}, (rule) -> {
					assertThat(rule.id()).isEqualTo("partner-calls");
					assertThat(rule.limits()).isEqualTo(new RuleLimits(new LeakyBucket(rate)));
				}));
	}

	static List<String> examples() throws IOException {
		try (Stream<Path> pages = Files.list(Path.of("../../docs"))) {
			return Stream.concat(pages, Stream.of(DocumentationPage.README))
				.filter((page) -> page.toString().endsWith(".md"))
				.filter((page) -> !page.endsWith("recipes.md")) // see RecipePageTests
				.flatMap((page) -> YAML.matcher(DocumentationPage.read(page)).results().map((match) -> match.group(1)))
				.toList();
		}
	}

}

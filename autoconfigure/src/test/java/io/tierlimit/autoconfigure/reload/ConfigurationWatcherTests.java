package io.tierlimit.autoconfigure.reload;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import io.tierlimit.autoconfigure.TierlimitAutoConfiguration;
import io.tierlimit.autoconfigure.TierlimitMethodAutoConfiguration;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.evaluation.ActiveRules;
import io.tierlimit.evaluation.ReloadResult;
import io.tierlimit.evaluation.ReloadResult.Outcome;
import io.tierlimit.evaluation.RuleReloader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Files and config trees that change while the application runs. Tests start each check,
 * because the interval of the watcher is a day.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationWatcherTests {

	private static final String NOT_READ = "cannot be read again, so what was read before remains active.";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource({ "application.yml, 'tierlimit.rules: { a: { rate: %s } }'",
			"application.properties, 'tierlimit.rules.a.rate=%s'" })
	void changedFileTakesEffectAfterTheNextCheck(String file, String text, CapturedOutput output) throws IOException {
		write(file, text.formatted("1/s"));
		watch().run((context) -> {
			write(file, text.formatted("2/s"));
			assertThat(rates(context)).containsExactly("a=1/s");
			check(context);
			assertThat(rates(context)).containsExactly("a=2/s");
			write(file, text.formatted("3/s"));
			check(context);
			assertThat(rates(context)).containsExactly("a=3/s");
			assertThat(output)
				.containsOnlyOnce("The rules are reloaded when one of these changes: [" + path(file) + "].");
		});
	}

	@Test
	void severalChangedFilesAreOneReload() throws IOException {
		write("application.yml", "tierlimit.rules.a.rate: ${limit}");
		write("application-prod.properties", "limit=1/s");
		watch().withPropertyValues("spring.profiles.active=prod").run((context) -> {
			write("application.yml", "tierlimit.rules.a.rate: ${limit}");
			check(context);
			assertThat(context.getBean(RuleReloader.class).counts().values()).as("without a change").containsOnly(0L);
			write("application.yml", "tierlimit.rules: { a: { rate: '${limit}' }, b: { rate: 5/s } }");
			write("application-prod.properties", "limit=2/s");
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=2/s", "b=5/s");
			assertThat(context.getBean(RuleReloader.class).counts()).containsEntry(Outcome.REPLACED, 1L);
		});
	}

	@Test
	void onlyPropertiesOfActiveDocumentsAndTheirLinesAreChanges() {
		String text = "picture: !!binary aGVsbG8=\n" + documents("1/s", "prod", "3/s");
		write("application.yml", text);
		watch().run((context) -> {
			RuleReloader reloader = context.getBean(RuleReloader.class);
			write("application.yml", text.replace("9/s", "8/s") + "# a comment");
			check(context);
			assertThat(reloader.counts().values()).containsOnly(0L);
			write("application.yml", "# a comment\n" + text);
			check(context);
			assertThat(reloader.counts().values()).contains(1L);
		});
	}

	@Test
	void activeDocumentsAreReplaced() throws IOException {
		write("application.yml", documents("1/s", "prod", "3/s"));
		watch().run((context) -> {
			write("application.yml", documents("2/s", "prod", "4/s"));
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=2/s", "c=4/s");
		});
		watch().withPropertyValues("spring.profiles.active=prod").run((context) -> {
			write("application.yml", documents("5/s", "prod", "6/s"));
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=5/s", "b=9/s", "c=6/s");
		});
	}

	@Test
	void changedConditionsOfDocumentsRequireARestart(CapturedOutput output) throws IOException {
		write("application.yml", documents("1/s", "prod", "3/s"));
		watch().run((context) -> {
			write("application.yml", documents("2/s", "test", "3/s"));
			check(context);
			write("application.yml", "tierlimit.rules.a.rate: 2/s");
			check(context);
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=1/s", "c=3/s");
			assertThat(output).containsOnlyOnce(NOT_READ).contains("read at startup only");
			write("application.yml", documents("2/s", "prod", "3/s"));
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=2/s", "c=3/s");
		});
	}

	@Test
	void fileThatCannotBeParsedLeavesThePreviousRulesActive(CapturedOutput output) throws IOException {
		write("application.yml", "tierlimit.rules.a.rate: 1/s");
		watch().run((context) -> {
			RuleReloader reloader = context.getBean(RuleReloader.class);
			write("application.yml", "password: \"secret");
			check(context);
			check(context);
			assertThat(rates(context)).containsExactly("a=1/s");
			assertThat(output).containsOnlyOnce(path("application.yml") + " " + NOT_READ);
			assertThat(reloader.counts()).containsEntry(Outcome.UNAVAILABLE, 1L);
			ReloadResult other = reloader.reload();
			assertThat(other.outcome()).as("each reload").isEqualTo(Outcome.UNAVAILABLE);
			assertThat(other.problems())
				.containsExactly(path("application.yml") + " " + NOT_READ + " The log has the cause.");
			write("application.yml", "tierlimit.rules.a.rate: 1/s");
			check(context);
			assertThat(reloader.last().outcome()).isEqualTo(Outcome.UNCHANGED);
			assertThat(reloader.last().problems()).isEmpty();
			write("application.yml", "tierlimit.rules.a.rate: 2/s");
			check(context);
			assertThat(rates(context)).containsExactly("a=2/s");
		});
	}

	@Test
	void invalidRuleLeavesThePreviousRulesActive() throws IOException {
		write("application.yml", "tierlimit.rules.a.rate: 1/s");
		watch().run((context) -> {
			write("application.yml", "tierlimit.rules.a.rate: fast");
			check(context);
			assertThat(rates(context)).containsExactly("a=1/s");
			assertThat(context.getBean(RuleReloader.class).last().problems()).singleElement()
				.asString()
				.contains("was 'fast'", "application.yml, line 1");
		});
	}

	@Test
	void removedFileLeavesThePreviousRulesActive(CapturedOutput output) throws IOException {
		write("application.yml", "tierlimit.rules.a.rate: 1/s");
		write("application.properties", "tierlimit.rules.b.rate=1/s");
		watch().run((context) -> {
			Files.delete(path("application.yml"));
			write("application.properties", "tierlimit.rules.b.rate=2/s");
			check(context);
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=1/s", "b=2/s");
			assertThat(output).containsOnlyOnce(path("application.yml") + " " + NOT_READ);
			write("application.yml", "tierlimit.rules.a.rate: 3/s");
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=3/s", "b=2/s");
		});
	}

	@Test
	void fileWithoutAnExtensionIsReadByTheExtensionInItsLocation() throws IOException {
		write("rules", "tierlimit.rules.a.rate: 1/s");
		watch().withPropertyValues("spring.config.import=file:" + path("rules") + "[.yml]").run((context) -> {
			write("rules", "tierlimit.rules.a.rate: 2/s");
			check(context);
			assertThat(rates(context)).containsExactly("a=2/s");
		});
	}

	@Test
	void configTreeIsActiveWhenItsLinkIsReplaced(CapturedOutput output) throws IOException {
		tree(Map.of("tierlimit.rules.a.rate", "1/s\n", "tierlimit.rules.b.rate", "1/s"));
		watch().withPropertyValues("spring.config.import=configtree:" + path("tree") + "/").run((context) -> {
			assertThat(rates(context)).containsExactlyInAnyOrder("a=1/s", "b=1/s");
			tree(Map.of("tierlimit.rules.a.rate", "2/s\n", "tierlimit.rules.c.rate", "3/s"));
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=2/s", "c=3/s");
			check(context);
			assertThat(context.getBean(RuleReloader.class).counts()).containsEntry(Outcome.REPLACED, 1L)
				.containsEntry(Outcome.UNCHANGED, 0L);
			Files.move(path("tree"), path("other"));
			check(context);
			check(context);
			assertThat(rates(context)).containsExactlyInAnyOrder("a=2/s", "c=3/s");
			assertThat(output).containsOnlyOnce(path("tree") + " " + NOT_READ);
		});
	}

	@Test
	void changeOfAFileDuringStartupIsFound() {
		write("application.yml", "tierlimit.rules.a.rate: 1/s");
		watch()
			.withBean(SmartInitializingSingleton.class,
					() -> () -> write("application.yml", "tierlimit.rules.a.rate: 2/s"))
			.run((context) -> assertThat(rates(context)).containsExactly("a=2/s"));
	}

	@Test
	void changeOfAConfigTreeDuringStartupIsFound() {
		tree(Map.of("tierlimit.rules.a.rate", "1/s"));
		watch().withPropertyValues("spring.config.import=configtree:" + path("tree") + "/")
			.withBean(SmartInitializingSingleton.class, () -> () -> tree(Map.of("tierlimit.rules.a.rate", "2/s")))
			.run((context) -> assertThat(rates(context)).containsExactly("a=2/s"));
	}

	@Test
	void filesInJarsAreNotWatched(CapturedOutput output) throws IOException {
		try (OutputStream file = Files.newOutputStream(path("rules.jar"));
				ZipOutputStream jar = new ZipOutputStream(file)) {
			jar.putNextEntry(new ZipEntry("rules.yml"));
			jar.write("tierlimit.rules.a.rate: 1/s".getBytes(StandardCharsets.UTF_8));
		}
		watch().withPropertyValues("spring.config.import=jar:file:" + path("rules.jar") + "!/rules.yml")
			.run((context) -> {
				assertThat(rates(context)).containsExactly("a=1/s");
				assertThat(context.getBean(ConfigurationWatcher.class).isRunning()).isFalse();
				assertThat(output).contains("tierlimit.reload.watch has no effect");
			});
		write("application.yml", "tierlimit.rules.a.rate: 1/s");
		watch().withPropertyValues("tierlimit.reload.watch=")
			.run((context) -> assertThat(context.getBean(ConfigurationWatcher.class).isRunning()).as("by default")
				.isFalse());
		assertThat(output).containsOnlyOnce("has no effect").doesNotContain("when one of these changes");
	}

	private ApplicationContextRunner watch() {
		return new ApplicationContextRunner().withInitializer(new ConfigDataApplicationContextInitializer())
			.withConfiguration(
					AutoConfigurations.of(TierlimitAutoConfiguration.class, TierlimitMethodAutoConfiguration.class))
			.withUserConfiguration(DailyWatcher.class)
			.withPropertyValues("tierlimit.store=memory", "tierlimit.reload.watch=true",
					"spring.config.location=optional:file:" + this.directory + "/");
	}

	private static void check(AssertableApplicationContext context) {
		context.getBean(ConfigurationWatcher.class).check();
	}

	private static List<String> rates(AssertableApplicationContext context) {
		return context.getBean(ActiveRules.class)
			.current()
			.all()
			.stream()
			.map((rule) -> rule.rule().id() + "=" + rule.rule().limits().standard().rate())
			.toList();
	}

	private Path path(String name) {
		return this.directory.resolve(name);
	}

	private void write(String file, String text) {
		try {
			Files.writeString(path(file), text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String documents(String first, String profile, String last) {
		return """
				tierlimit.rules.a.rate: %s
				---
				spring.config.activate.on-profile: %s
				tierlimit.rules.b.rate: 9/s
				---
				tierlimit.rules.c.rate: %s
				""".formatted(first, profile, last);
	}

	/** Replaces all files at once, as Kubernetes does. */
	private void tree(Map<String, String> files) {
		try {
			Path tree = Files.createDirectories(path("tree"));
			Path version = Files.createTempDirectory(tree, "..version");
			for (Map.Entry<String, String> file : files.entrySet()) {
				Files.writeString(version.resolve(file.getKey()), file.getValue());
				Path link = tree.resolve(file.getKey());
				if (!Files.isSymbolicLink(link)) {
					Files.createSymbolicLink(link, Path.of("..data", file.getKey()));
				}
			}
			Path link = Files.createSymbolicLink(tree.resolve("..data_tmp"), version.getFileName());
			Files.move(link, tree.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
			try (DirectoryStream<Path> names = Files.newDirectoryStream(tree, (name) -> !Files.exists(name))) {
				for (Path removed : names) {
					Files.delete(removed);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class DailyWatcher {

		@Bean
		ConfigurationWatcher watcher(ConfigurableEnvironment environment, RuleReloader reloader,
				TierlimitProperties properties) {
			return new ConfigurationWatcher(environment.getPropertySources(), reloader, properties.reload().watch(),
					Duration.ofDays(1));
		}

	}

}

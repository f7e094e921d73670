package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.tierlimit.MainSources;
import io.tierlimit.RateLimited;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes an application ahead of time, and checks that a native image would have all
 * resources and types.
 */
class RuntimeHintsTests {

	private static final Pattern TYPE_NAME = Pattern
		.compile("\"((?:org\\.springframework|io\\.lettuce|io\\.github|redis)\\.[a-z0-9.]+\\.[A-Z][A-Za-z]+)\"");

	private static RuntimeHints hints;

	@BeforeAll
	static void process() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(OrderService.class, Cancellation.class, TierlimitMethodAutoConfiguration.class,
					TierlimitAutoConfiguration.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(OrderService.class)), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			hints = generation.getRuntimeHints();
		}
	}

	@Test
	void annotatedMethodsAreFound() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(OrderService.class.getMethod("place", Order.class))).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Cancellation.class.getDeclaredMethod("cancel", String.class))).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Refunds.class.getDeclaredMethod("refund")))
			.accepts(hints);
	}

	@Test
	void annotationsAreRead() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(RateLimited.class.getMethod("key")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(RateLimited.List.class.getMethod("value")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(RateLimited.class)).accepts(hints);
	}

	@Test
	void endOfABodyIsReadFromJetty() throws Exception {
		RuntimeHints ofJetty = new RuntimeHints();
		new TierlimitServletAutoConfiguration.JettyHints().registerHints(ofJetty, getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation("org.eclipse.jetty.ee11.servlet.HttpInput", "hasContent")).accepts(ofJetty);
	}

	@Test
	void expressionsReadArguments() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getMethod("customer")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class.getMethod("getId")))
			.accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(strings = { "TierlimitProperties", "TierlimitProperties$Redis" })
	void propertiesAreBound(String name) throws Exception {
		Class<?> type = Class.forName("io.tierlimit.autoconfigure.properties." + name);
		assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
			.accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(strings = { "store/redis/buckets.lua", "store/redis/members.lua", "jdbc/audit-h2.sql",
			"jdbc/audit-mysql.sql", "jdbc/audit-postgresql.sql", "jdbc/rules-h2.sql", "jdbc/rules-mysql.sql",
			"jdbc/rules-postgresql.sql" })
	void scriptsAreResources(String script) {
		RuntimeHints ofScripts = new RuntimeHints();
		new TierlimitRuntimeHints().registerHints(ofScripts, null);
		assertThat(RuntimeHintsPredicates.resource().forResource("io/tierlimit/" + script)).accepts(ofScripts);
	}

	/** Every class that looks up an optional type names it in a constant. */
	@Test
	void optionalTypesAreFoundByName() throws IOException {
		Set<String> names = new TreeSet<>();
		for (Path file : MainSources.files()) {
			String source = Files.readString(file);
			if (source.contains("isPresent(") && !source.contains("@AutoConfiguration")) {
				TYPE_NAME.matcher(source).results().forEach((found) -> names.add(found.group(1)));
			}
		}
		assertThat(names).contains("org.springframework.data.redis.connection.RedisConnectionFactory")
			.hasSizeGreaterThan(6)
			.allSatisfy((name) -> {
				assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(name))).accepts(hints);
			});
	}

	static class OrderService {

		@RateLimited(rate = "1/s", key = "#order.customer.id")
		@RateLimited(name = "orders", rate = "100/s")
		public void place(Order order) {
		}

	}

	@RateLimited(rate = "1/s")
	static class Cancellation implements Refunds {

		public void cancel(String id) {
		}

		@Override
		public void refund() {
		}

	}

	interface Refunds {

		@RateLimited(rate = "1/s")
		void refund();

	}

	record Order(Customer customer) {

	}

	static final class Customer {

		public String getId() {
			return "1";
		}

	}

}

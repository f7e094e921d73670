package io.tierlimit.autoconfigure.rules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real files and real environment variables, in a separate process.
 */
@Tag("slow")
class EnvironmentTests {

	@TempDir
	private Path directory;

	@BeforeEach
	void write() throws IOException {
		Files.writeString(this.directory.resolve("application.yml"), """
				tierlimit:
				  rules:
				    per-ip: { scope: ip, rate: 20/s, burst: 40 }
				    per-user:
				      scope: user
				      rate: 10/s
				      burst: 50
				      plans:
				        pro-yearly: { rate: 100/s, burst: 500 }
				""");
		Files.writeString(this.directory.resolve("application-prod.yml"), """
				tierlimit:
				  rules:
				    per-user: { burst: 70 }
				""");
	}

	@Test
	void variableOverridesOneValueAndDefinesNoRule() throws Exception {
		assertThat(rules(Map.of("TIERLIMIT_SERVICE_HOST", "10.0.0.1", "TIERLIMIT_RULES_PERUSER_RATE", "11/s",
				"TIERLIMIT_RULES_PERUSER_PLANS_PROYEARLY_BURST", "600")))
			.containsExactlyInAnyOrder(perIp(20, 40), perUser(11, 50, 600));
	}

	@Test
	void profileChangesOneValueAndLeavesTheRest() throws Exception {
		assertThat(rules(Map.of("SPRING_PROFILES_ACTIVE", "prod"))).containsExactlyInAnyOrder(perIp(20, 40),
				perUser(10, 70, 500));
	}

	@Test
	void emptyVariableResetsAPropertyToItsDefault() throws Exception {
		assertThat(rules(Map.of("TIERLIMIT_RULES_PERIP_BURST", ""))).containsExactlyInAnyOrder(perIp(20, 20),
				perUser(10, 50, 500));
	}

	@Test
	void emptyVariableThatWouldWidenARuleFailsStartup() throws Exception {
		assertThat(rules(Map.of("TIERLIMIT_RULES_PERIP_SCOPE", "")))
			.anyMatch((line) -> line.contains("Rule 'per-ip': scope is empty")
					&& line.contains("(environment variable TIERLIMIT_RULES_PERIP_SCOPE)"));
	}

	@Test
	void variableWithARateDefinesARule() throws Exception {
		assertThat(rules(Map.of("TIERLIMIT_RULES_NEW_RATE", "1/s"))).hasSize(3)
			.anyMatch((rule) -> rule.startsWith("new global"));
	}

	@Test
	void mistypedVariablesPreventStartup() throws Exception {
		assertThat(rules(Map.of("TIERLIMIT_RULES_PER_USR_RATE", "1/s", "TIERLIMIT_MEMORY_SIZE", "5",
				"TIERLIMIT_RULES_PERUSR_BURST", "5")))
			.anyMatch((line) -> line.contains("Rule 'per': 'usr' is not a known property. Known properties are ")
					&& line.contains("(environment variable TIERLIMIT_RULES_PER_USR_RATE)."))
			.anyMatch((line) -> line.contains("tierlimit.memory: 'size' is not a known property.")
					&& line.contains("(environment variable TIERLIMIT_MEMORY_SIZE)."))
			.anyMatch((line) -> line
				.contains("Rule 'perusr' (environment variable TIERLIMIT_RULES_PERUSR_BURST) has no rate."))
			.noneMatch((line) -> line.contains("Rule 'per' "));
	}

	@Test
	void underscoresMayReplaceDashes() throws Exception {
		assertThat(rules(Map.of("TIERLIMIT_RULES_PER_USER_RATE", "11/s"))).containsExactlyInAnyOrder(perIp(20, 40),
				perUser(11, 50, 500));
	}

	@Test
	void variablesThatKubernetesSetsForServicesAreIgnored() throws Exception {
		assertThat(rules(Map.of("TIERLIMIT_SERVICE_HOST", "10.0.0.1", "TIERLIMIT_PORT", "tcp://10.0.0.1:80",
				"TIERLIMIT_PORT_80_TCP_ADDR", "10.0.0.1", "TIERLIMIT_REDIS_SERVICE_PORT", "6379",
				"TIERLIMIT_REDIS_PORT", "tcp://10.0.0.2:6379", "TIERLIMIT_RULES_PORT", "tcp://10.0.0.3:80",
				"TIERLIMIT_RULES_SERVICE_HOST", "10.0.0.3")))
			.containsExactlyInAnyOrder(perIp(20, 40), perUser(10, 50, 500));
	}

	private static String perIp(int permits, int burst) {
		return "per-ip ip RuleLimits[standard=" + bucket(permits, burst) + ", plans={}, defaultPlan=null]";
	}

	private static String perUser(int permits, int burst, int proBurst) {
		return "per-user user RuleLimits[standard=" + bucket(permits, burst) + ", plans={pro-yearly=PlanLimit[limit="
				+ bucket(100, proBurst) + "]}, defaultPlan=null]";
	}

	private static String bucket(int permits, int burst) {
		return "TokenBucket[rate=" + permits + "/s, burst=" + burst + "]";
	}

	private List<String> rules(Map<String, String> variables) throws IOException, InterruptedException {
		ProcessBuilder process = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"),
				"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), RulePrinter.class.getName(),
				"--spring.config.location=file:" + this.directory + "/");
		process.environment().putAll(variables);
		process.redirectErrorStream(true);
		Process started = process.start();
		String output = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		started.waitFor();
		return output.lines().toList();
	}

}

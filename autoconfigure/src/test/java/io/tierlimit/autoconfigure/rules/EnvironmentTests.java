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
	void profileAndVariablesOverrideSingleValuesAndDefineARule() throws Exception {
		assertThat(rules(Map.of("SPRING_PROFILES_ACTIVE", "prod", "TIERLIMIT_RULES_PERIP_BURST", "",
				"TIERLIMIT_RULES_PERUSER_RATE", "11/s", "TIERLIMIT_RULES_PERUSER_PLANS_PROYEARLY_BURST", "600",
				"TIERLIMIT_RULES_NEW_RATE", "1/s", "TIERLIMIT_SERVICE_HOST", "10.0.0.1", "TIERLIMIT_RULES_PORT",
				"tcp://10.0.0.3:80")))
			.containsExactlyInAnyOrder(
					"per-ip ip RuleLimits[standard=" + bucket(20, 20) + ", plans={}, defaultPlan=null]",
					"per-user user RuleLimits[standard=" + bucket(11, 70) + ", plans={pro-yearly=PlanLimit[limit="
							+ bucket(100, 600) + "]}, defaultPlan=null]",
					"new global RuleLimits[standard=" + bucket(1, 1) + ", plans={}, defaultPlan=null]");
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

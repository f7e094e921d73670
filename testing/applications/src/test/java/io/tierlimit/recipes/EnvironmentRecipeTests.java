package io.tierlimit.recipes;

import java.util.Map;

import io.tierlimit.application.DocumentationPage;
import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.evaluation.RuleReloader;
import jakarta.servlet.http.HttpSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static java.net.http.HttpRequest.BodyPublishers.noBody;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipes for the environment of an application, and for its responses.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class EnvironmentRecipeTests {

	@Test
	void ownJsonBody() {
		try (RunningApplication application = Recipe.start(WithOwnBody.class, "json-body")) {
			Curl.replay(application, "Return your own JSON body for 429");
		}
	}

	@Test
	void proxies() {
		try (RunningApplication application = Recipe.start(RecipeApplication.class, "proxy")) {
			Curl.replay(application, "Run behind nginx, an AWS ALB, or a Kubernetes ingress");
			assertThat(remaining(from(application, "203.0.113.9, 10.0.3.4"))).isEqualTo(59);
			assertThat(remaining(from(application, "198.51.100.1, 203.0.113.9"))).isEqualTo(58);
			assertThat(remaining(from(application, "203.0.113.9, 10.1.0.1"))).isEqualTo(59);
		}
	}

	@Test
	void kubernetes(CapturedOutput output) {
		try (RunningApplication application = Recipe.start(RecipeApplication.class, "kubernetes")) {
			assertThat(remaining(from(application, "203.0.113.7"))).isEqualTo(59);
			assertThat(remaining(from(application, "192.0.2.66, 203.0.113.7, 10.244.0.5"))).isEqualTo(58);
			assertThat(remaining(from(application, "203.0.113.8"))).isEqualTo(59);
			assertThat(output).doesNotContain("but no proxy is trusted");
		}
	}

	/** Without the environment variable, the limit of the profile applies. */
	@Test
	void profileAndEnvironmentVariable() {
		String[] variable = DocumentationPage.of("recipes")
			.section("Use different limits per environment")
			.blocks("shell")
			.get(0)
			.split("[= ]", 3);
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace("systemEnvironment",
					new SystemEnvironmentPropertySource("systemEnvironment", Map.of(variable[0], variable[1])));
		try (RunningApplication application = Recipe.start(
				new SpringApplicationBuilder(RecipeApplication.class).environment(environment), "environments",
				"spring.profiles.active=prod")) {
			assertThat(remaining(application.get("/api/products"))).isEqualTo(499);
			environment.getPropertySources().remove("systemEnvironment");
			assertThat(application.bean(RuleReloader.class).reload().problems()).isEmpty();
			assertThat(application.get("/api/products").header("RateLimit-Policy")).contains("\"per-ip\";q=300;");
		}
	}

	/** The recipe with its own JSON body has the same limit. */
	@Test
	void disabledInTests() {
		try (RunningApplication application = RunningApplication.start(RecipeApplication.class,
				"spring.config.location=classpath:/recipes/json-body.yml,classpath:/recipes/off-in-tests.properties")) {
			application.get("/api/products");
			application.get("/api/products");
			assertThat(application.get("/api/products").status()).isEqualTo(200);
		}
	}

	@Test
	void withoutSpringSecurity() {
		ClassLoader classes = new FilteredClassLoader("org.springframework.security");
		SpringApplicationBuilder builder = new SpringApplicationBuilder(WithSessions.class)
			.resourceLoader(new DefaultResourceLoader(classes));
		try (RunningApplication application = Recipe.start(builder, "without-spring-security")) {
			assertThat(application.get("/api/products").rateLimit()).containsOnlyKeys("per-ip");
			String session = application.send("POST", "/session?user=fred", noBody())
				.header("Set-Cookie")
				.split(";", 2)[0];
			Curl.replay(application, "Limit without Spring Security", Map.of("SESSION", session));
		}
	}

	private static Response from(RunningApplication application, String forwarded) {
		return application.get("/api/products", "X-Forwarded-For", forwarded);
	}

	private static long remaining(Response response) {
		assertThat(response.status()).isEqualTo(200);
		return response.rateLimit().get("per-ip").get("r");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, JsonRejections.class })
	static class WithOwnBody {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Handlers.class, SessionUsers.class, Sessions.class })
	static class WithSessions {

	}

	@RestController
	static class Sessions {

		@PostMapping("/session")
		void login(String user, HttpSession session) {
			session.setAttribute("user", user);
		}

	}

}

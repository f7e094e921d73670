package io.tierlimit.recipes;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import com.nimbusds.jose.jwk.source.ImmutableSecret;
import io.tierlimit.application.RunningApplication;
import io.tierlimit.application.RunningApplication.Response;
import io.tierlimit.application.SecuredApplication.CountingPasswordEncoder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipes for keys of callers.
 */
@Tag("slow")
class CallerRecipeTests {

	private static final SecretKey KEY = new SecretKeySpec(
			"a secret of 32 bytes or more, shared".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

	@Test
	void apiKey() {
		try (RunningApplication application = Recipe.start(Partners.class, "api-key")) {
			Curl.replay(application, "Limit by API key");
			for (int i = 0; i < 3; i++) {
				assertThat(remaining(application.get("/api/products", "X-Api-Key", "made-up-" + i), "per-api-key"))
					.as("unknown keys share the bucket of the address")
					.isEqualTo(58L - i);
			}
		}
	}

	@Test
	void apiKeyThatAGatewayChecks() {
		try (RunningApplication application = Recipe.start(RecipeApplication.class, "api-key-of-gateway")) {
			assertThat(remaining(application.get("/api/products", "X-Api-Key", "a"), "per-api-key")).isEqualTo(59);
			assertThat(remaining(application.get("/api/products", "X-Api-Key", "b"), "per-api-key")).isEqualTo(59);
			assertThat(remaining(application.get("/api/products", "X-Api-Key", "a"), "per-api-key")).isEqualTo(58);
		}
	}

	@Test
	void subjectAndClaimsOfAJwt() {
		try (RunningApplication application = Recipe.start(ResourceServer.class, "jwt")) {
			String token = token(Map.of("sub", "fred", "client_id", "mobile"));
			Curl.replay(application, "Limit by JWT subject or claim", Map.of("TOKEN", token));
			Response pro = get(application, Map.of("sub", "paula", "client_id", "mobile", "plan", "pro"));
			assertThat(remaining(pro, "per-user")).isEqualTo(599);
			assertThat(remaining(pro, "per-client")).isEqualTo(998);
			assertThat(get(application, Map.of("sub", "fred")).rateLimit()).containsOnlyKeys("per-user");
			assertThat(application.get("/api/products", "Authorization", "Bearer forged").status()).isEqualTo(401);
		}
	}

	@Test
	void tenant() {
		try (RunningApplication application = Recipe.start(ResourceServer.class, "tenant")) {
			Curl.replay(application, "Limit per tenant", Map.of("TOKEN_OF_ADA", token("ada", "acme"), "TOKEN_OF_BOB",
					token("bob", "acme"), "TOKEN_OF_EVE", token("eve", "globex")));
		}
	}

	@Test
	void raisedLimit() {
		try (RunningApplication application = Recipe.start(Operated.class, "raise-limit")) {
			Curl.replay(application, "Raise the limit of one customer now");
		}
	}

	@Test
	void visitorsWhoHaveSolvedOneOfAFewCaptchas() {
		try (RunningApplication application = Recipe.start(WithVisitors.class, "visitors")) {
			assertThat(visit(application, "JSESSIONID=invented")).isEqualTo(59);
			assertThat(visit(application, "JSESSIONID=invented-too")).as("the bucket of the address").isEqualTo(58);
			assertThat(captcha(application, "wrong", "JSESSIONID=invented").status()).isEqualTo(403);
			assertThat(visit(application, "JSESSIONID=invented")).isEqualTo(57);
			String verified = session(captcha(application, "right", "JSESSIONID=invented"));
			assertThat(visit(application, verified)).isEqualTo(59);
			assertThat(session(captcha(application, "right", verified))).as("the same session").isEmpty();
			assertThat(visit(application, verified)).isEqualTo(58);
			assertThat(visit(application, session(captcha(application, "right", "a=b")))).isEqualTo(59);
			assertThat(visit(application, "a=b")).isEqualTo(56);
			// Four captchas have been sent above.
			for (int i = 4; i < 10; i++) {
				assertThat(captcha(application, "right", "a=b").status()).isEqualTo(204);
			}
			assertThat(captcha(application, "right", "a=b").status()).isEqualTo(429);
		}
	}

	private static long visit(RunningApplication application, String cookie) {
		return remaining(application.get("/api/products", "Cookie", cookie), "per-visitor");
	}

	private static Response captcha(RunningApplication application, String answer, String cookie) {
		return application.send("POST", "/captcha", ofString("answer=" + answer), "Content-Type",
				"application/x-www-form-urlencoded", "Cookie", cookie);
	}

	private static String session(Response response) {
		return response.header("Set-Cookie").split(";", 2)[0];
	}

	private static Response get(RunningApplication application, Map<String, Object> claims) {
		return application.get("/api/products", "Authorization", "Bearer " + token(claims));
	}

	private static long remaining(Response response, String rule) {
		assertThat(response.status()).isEqualTo(200);
		return response.rateLimit().get(rule).get("r");
	}

	private static String token(String user, String tenant) {
		return token(Map.of("sub", user, "tenant", tenant));
	}

	private static String token(Map<String, Object> claims) {
		JwtClaimsSet set = JwtClaimsSet.builder()
			.claims((all) -> all.putAll(claims))
			.expiresAt(Instant.now().plusSeconds(600))
			.build();
		return new NimbusJwtEncoder(new ImmutableSecret<>(KEY))
			.encode(JwtEncoderParameters.from(JwsHeader.with(MacAlgorithm.HS256).build(), set))
			.getTokenValue();
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, ApiKeys.class })
	static class Partners {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RecipeApplication.class, Visitors.class })
	static class WithVisitors {

		@Bean
		Visitors.Captchas captchas() {
			return "right"::equals;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Handlers.class, CountingPasswordEncoder.class })
	static class Operated {

		@Bean
		SecurityFilterChain basic(HttpSecurity http) {
			return http.csrf(AbstractHttpConfigurer::disable)
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/actuator/**")
					.hasRole("OPERATOR")
					.anyRequest()
					.authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(User.withUsername("fred").password("secret").build(),
					User.withUsername("operator").password("secret").roles("OPERATOR").build());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class ResourceServer {

		@Bean
		SecurityFilterChain tokens(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.build();
		}

		@Bean
		JwtDecoder decoder() {
			return NimbusJwtDecoder.withSecretKey(KEY).build();
		}

	}

}

package io.tierlimit.application;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.tierlimit.application.RawHttp.Reply;
import io.tierlimit.junit.Rounds;
import io.tierlimit.store.BucketStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends every spelling of a path, over a raw socket to a real server, to targets of every
 * kind with several ways to match paths. A request that reaches its target must be
 * charged under the rule and the endpoint of this target. Runs on Tomcat and on Jetty.
 */
@Tag("slow")
class SpellingTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	/** A path, the selection of its rule, and the key of its endpoint. */
	private static final List<Target> TARGETS = List.of(new Target("mvc", "/places/mvc", "GET /places/mvc"),
			new Target("variable", "/places/variable/7", "GET /places/variable/{id}"),
			new Target("any", "/places/any", "* /places/any"),
			new Target("functional", "/places/functional", "* /places/functional"),
			new Target("static", "/places/static.txt", "unmapped"),
			new Target("servlet", "/places/servlet/x", "unmapped"));

	private static final String WITHOUT_SECURITY = "org.springframework.boot.security.autoconfigure.web.servlet."
			+ "SecurityFilterAutoConfiguration,org.springframework.boot.security.autoconfigure.web.servlet."
			+ "ServletWebSecurityAutoConfiguration,org.springframework.boot.security.autoconfigure.actuate."
			+ "web.servlet.ManagementWebSecurityAutoConfiguration";

	private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE",
			"FOO", "FOO2", "get", "PROPFIND");

	private static final String PREFLIGHT = "Origin: http://a.example\r\nAccess-Control-Request-Method: GET\r\n";

	private static final String CREDENTIALS = "Authorization: Basic YWxpY2U6Z3Vlc3M=\r\nCookie: JSESSIONID=1\r\n";

	private final List<String> uncharged = new ArrayList<>();

	private final TreeSet<String> reached = new TreeSet<>();

	private RunningApplication application;

	private RawHttp server;

	private String base;

	/**
	 * Each server parses requests in its own way. The first four configurations show the
	 * differences. The last four combine less than others, and are tested before a
	 * release.
	 */
	static Stream<Arguments> configurations() {
		boolean tomcat = ClassUtils.isPresent("org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory",
				null);
		return Stream
			.of(Arguments.of("bare", null, null), Arguments.of("lenient", null, null),
					Arguments.of("default", "/context", null), Arguments.of("lenient", null, "/mvc"),
					Arguments.of("ant", null, null), Arguments.of("folding,slashes,lenient", null, null),
					Arguments.of("folding", "/context", "/mvc"), Arguments.of("default", null, null),
					Arguments.of("bare,folding,lenient", null, null), Arguments.of("folding", null, null),
					Arguments.of("slashes", null, null))
			.limit(tomcat ? Rounds.of(7, 11) : 4);
	}

	@ParameterizedTest
	@MethodSource("configurations")
	void everySpellingThatReachesATargetIsChargedAsThatTarget(String profiles, @Nullable String context,
			@Nullable String servlet) {
		start(profiles, context, servlet);
		for (Target target : TARGETS) {
			String prefix = target.isServlet() ? this.base : this.base + ((servlet != null) ? servlet : "");
			for (String spelling : spellings(target.path())) {
				check(target, "GET " + prefix + spelling, "");
				checkPreflightWithCredentials("OPTIONS " + prefix + spelling);
			}
			for (String method : METHODS) {
				check(target, method + " " + prefix + target.path(), "");
				check(target, method + " " + prefix + target.path(), CREDENTIALS);
			}
			check(target, "GET http://localhost" + prefix + target.path(), "");
			check(target, "OPTIONS " + prefix + target.path(), PREFLIGHT);
			check(target, "OPTIONS " + prefix + target.path(), PREFLIGHT + CREDENTIALS);
			assertThat(this.reached).as("the spelling proper").contains("GET " + prefix + target.path());
		}
		assertThat(this.uncharged).isEmpty();
	}

	@Test
	void callerCannotChooseTheEndpointOfARequestWithoutAMapping() {
		start("bare", null, null, "tierlimit.rules.several.scope=endpoint",
				"tierlimit.rules.several.paths=/reports/**,/places/servlet/**", "tierlimit.rules.several.rate=1/d",
				"tierlimit.rules.several.burst=100");
		assertThat(this.server.send("GET /reports/../places/servlet/x HTTP/1.1", "", "").header("X-Reached"))
			.isEqualTo("servlet");
		assertThat(this.application.consumed("several", "/places/servlet/**")).isEqualTo(1);
		assertThat(this.application.consumed("several", "/reports/**")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/free/../", "/free/%2e%2e/", "/free/..;/" })
	@Tag("tomcat")
	void noSpellingBypassesARuleByItsExclusion(String path) {
		start("bare", null, null, "tierlimit.rules.excluding.rate=1/d", "tierlimit.rules.excluding.burst=100",
				"tierlimit.rules.excluding.exclude-paths=/free/**");
		Reply reply = this.server.send("GET " + path + "places/servlet/x HTTP/1.1", "", "");
		assertThat(reply.header("X-Reached")).isEqualTo("servlet");
		assertThat(reply.header("RateLimit")).contains("\"excluding\"");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			overriding | POST /places/removal | X-HTTP-Method-Override: DELETE
			overriding | GET /places/removal  | X-HTTP-Method-Override: delete
			forwarding | DELETE /elsewhere    | X-Forward-To: /places/removal
			hidden     | POST /places/removal | _method=delete
			""")
	void requestThatAFilterChangesIsChargedAsTheChangedOne(String profiles, String requestLine, String header) {
		start(profiles, null, null);
		boolean form = header.startsWith("_");
		String headers = form
				? "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + header.length() + "\r\n"
				: header + "\r\n";
		String body = form ? header : "";
		Reply reply = this.server.send(requestLine + " HTTP/1.1", headers, body);
		assertThat(reply.header("X-Reached")).as(reply.text()).isEqualTo("removal");
		assertThat(reply.header("RateLimit")).contains("\"removal\";r=99;");
		assertThat(this.application.consumed("endpoint", "DELETE /places/removal")).isEqualTo(1);
		assertThat(this.application.consumed("address", "127.0.0.1")).isEqualTo(1);
		for (int i = 0; i < 99; i++) {
			this.application.send("DELETE", "/places/removal");
		}
		assertThat(this.server.send(requestLine + " HTTP/1.1", headers, body).status()).isEqualTo(429);
	}

	private void check(Target target, String request, String headers) {
		resetAll();
		Reply reply = this.server.send(request + " HTTP/1.1", headers, "");
		boolean served = reply.header("X-Reached").equals(target.name())
				|| (target.isStatic() && reply.text().contains("served"));
		if (!served) {
			return;
		}
		this.reached.add(request);
		boolean rule = reply.header("RateLimit").contains("\"" + target.name() + "\";");
		boolean endpoint = this.application.consumed("endpoint", target.endpoint()) == 1;
		if (!rule || !endpoint) {
			this.uncharged.add(request + " was charged to the rule: " + rule + ", to the endpoint: " + endpoint);
		}
	}

	private void resetAll() {
		BucketStore store = this.application.bean(BucketStore.class);
		store.resetAll("endpoint");
		store.resetAll("address");
		TARGETS.forEach((target) -> store.resetAll(target.name()));
	}

	private void checkPreflightWithCredentials(String request) {
		resetAll();
		Reply reply = this.server.send(request + " HTTP/1.1", PREFLIGHT + CREDENTIALS, "");
		boolean toFilters = reply.text().contains("RateLimit");
		if (toFilters ? this.application.consumed("address", "127.0.0.1") != 1 : reply.status() < 400) {
			this.uncharged.add(request + " as a preflight with credentials was answered with " + reply.status());
		}
	}

	private static List<String> spellings(String path) {
		int slash = path.lastIndexOf('/');
		String head = path.substring(0, slash);
		String last = path.substring(slash + 1);
		String encoded = "%" + Integer.toHexString(last.charAt(0)) + last.substring(1);
		List<String> spellings = new ArrayList<>(List.of(path, "/" + path, head + "//" + last, head + "/./" + last,
				"/." + path, "/x/.." + path, head + "/x/../" + last, head + "/%2e/" + last, head + "/x/%2e%2e/" + last,
				head + "/x/.%2E/" + last, head + ";a=b/" + last, path + ";a=b", path + ";", path + ";a=b;c=d,e",
				"/;a=b" + path, head + "/..;/places/" + last, head + "/.;a=b/" + last, head + "/x/..;a=b/" + last,
				head + "/" + encoded, "/%70laces" + path.substring(7), head + "%2F" + last, head + "%2f" + last,
				path.replace("/", "%2f"), head + "/%25" + encoded.substring(1), path + "%20", path + "%00",
				path + "%3Ba=b", path + "%3b", path + "%3F", head + "\\" + last, head + "%5c" + last,
				head + "%5C..%5c" + last, head + "%c0%af" + last, head.toUpperCase(Locale.ROOT) + "/" + last,
				head + "/" + last.toUpperCase(Locale.ROOT), path + "/", path + "//", path + "/.", path + "/..",
				path + "/;a=b", path + "/%2e", path + ".json", path + ".", path + "?a=b", path + "?", path + "?/../x",
				path + "#x", "/." + path + "/../" + last, head + "/" + last + "/../" + last,
				head + "/\u00e9/../" + last, head + "/" + last + "%E2%80%8B"));
		return spellings;
	}

	private void start(String profiles, @Nullable String context, @Nullable String servlet, String... more) {
		List<String> properties = new ArrayList<>(List.of("spring.profiles.active=" + profiles,
				"spring.mvc.hiddenmethod.filter.enabled=" + profiles.equals("hidden"),
				"tierlimit.rules.endpoint.scope=endpoint", "tierlimit.rules.address.scope=ip",
				"tierlimit.rules.removal.paths=/places/removal", "tierlimit.rules.removal.methods=DELETE",
				"tierlimit.rules.address.rate=1/d", "tierlimit.rules.address.burst=100",
				"tierlimit.rules.endpoint.rate=1/d", "tierlimit.rules.endpoint.burst=100",
				"tierlimit.rules.removal.rate=1/d", "tierlimit.rules.removal.burst=100"));
		for (Target target : TARGETS) {
			String path = target.path().replace("/7", "/{id}").replace("/x", "/**");
			String rule = "tierlimit.rules." + target.name();
			properties.add(rule + ".paths=" + ((servlet != null && !target.isServlet()) ? servlet : "") + path);
			properties.add(rule + ".rate=1/d");
			properties.add(rule + ".burst=100");
		}
		properties.addAll(List.of(more));
		if (profiles.startsWith("bare")) {
			properties.add("spring.autoconfigure.exclude=" + WITHOUT_SECURITY);
		}
		if (context != null) {
			properties.add("server.servlet.context-path=" + context);
		}
		if (servlet != null) {
			properties.add("spring.mvc.servlet.path=" + servlet);
		}
		this.application = applications.start(SpellingApplication.class, properties.toArray(String[]::new));
		this.base = (context != null) ? context : "";
		this.server = this.application.raw();
	}

	private record Target(String name, String path, String endpoint) {

		boolean isServlet() {
			return this.name.equals("servlet");
		}

		boolean isStatic() {
			return this.name.equals("static");
		}

	}

}

package io.tierlimit.application;

import java.net.http.HttpClient.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts one application for all tests of a class that differ only in their rules. Each
 * test begins with its own rules, full buckets and the clock at zero. Meters and beans of
 * the application keep their values between tests. Other tests start their own
 * applications, which end with the test.
 */
final class SharedApplications implements AfterEachCallback, AfterAllCallback {

	private static final Predicate<String> RULES = (property) -> property.startsWith("tierlimit.rules.");

	private final Map<Configuration, RunningApplication> running = new HashMap<>();

	private final List<RunningApplication> own = new ArrayList<>();

	/** Starts the application if none has these properties, except rules. */
	RunningApplication start(Class<?> application, String... properties) {
		List<String> others = Arrays.stream(properties).filter(RULES.negate()).toList();
		RunningApplication shared = this.running.computeIfAbsent(new Configuration(application, others),
				(absent) -> RunningApplication.start(application, properties));
		shared.begin(properties);
		return shared;
	}

	RunningApplication start(Class<?> application, String[] properties, String... more) {
		return start(application, RunningApplication.with(properties, more));
	}

	/** Starts with properties of rules, such as {@code per-ip.rate=1/s}. */
	RunningApplication startWithRules(Class<?> application, String... rules) {
		return start(application, RunningApplication.rules(rules));
	}

	/** Starts the application, and changes the protocol of the connection to HTTP/2. */
	RunningApplication startWithHttp2(Class<?> application, String... properties) {
		String[] all = RunningApplication.with(properties, "server.http2.enabled=true");
		RunningApplication shared = start(application, all);
		assertThat(shared.get("/hello.txt").response().version()).isEqualTo(Version.HTTP_2);
		// The first request may have been charged.
		shared.begin(all);
		return shared;
	}

	/** Starts an application that ends with the test. */
	RunningApplication startOwn(Class<?> application, String... properties) {
		return add(RunningApplication.start(application, properties));
	}

	RunningApplication startOwn(Class<?> application, String[] properties, String... more) {
		return startOwn(application, RunningApplication.with(properties, more));
	}

	/** Closes an application that a test has started when the test ends. */
	RunningApplication add(RunningApplication application) {
		this.own.add(application);
		return application;
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.own.forEach(RunningApplication::close);
		this.own.clear();
	}

	@Override
	public void afterAll(ExtensionContext context) {
		this.running.values().forEach(RunningApplication::close);
		this.running.clear();
	}

	private record Configuration(Class<?> application, List<String> properties) {

	}

}

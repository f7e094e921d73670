package io.tierlimit.benchmarks.http;

import java.util.ArrayList;
import java.util.List;

/**
 * An application that is measured.
 */
enum Application {

	BARE("no limiter", Line.BOOT_4, "bare", 200),

	REFERENCE("a filter with one compare-and-set", Line.BOOT_4, "reference", 200),

	ONE_TIER("Tierlimit, 1 tier", Line.BOOT_4, "one-tier", 200),

	FOUR_TIERS("Tierlimit, 4 tiers", Line.BOOT_4, "four-tiers", 200),

	REJECTED("Tierlimit, 4 tiers, rejected", Line.BOOT_4, "four-tiers,rejected", 429),

	RESILIENCE4J("Resilience4j in a filter, 4 tiers", Line.BOOT_4, "resilience4j", 200),

	BARE_3("no limiter, Spring Boot 3.5", Line.BOOT_3, "bare", 200),

	BUCKET4J("bucket4j's starter, 4 tiers, Spring Boot 3.5", Line.BOOT_3, "four-tiers", 200);

	private final String title;

	private final Line line;

	private final String profiles;

	private final int status;

	Application(String title, Line line, String profiles, int status) {
		this.title = title;
		this.line = line;
		this.profiles = profiles;
		this.status = status;
	}

	String title() {
		return this.title;
	}

	/** The status of every response. */
	int status() {
		return this.status;
	}

	/** The application without a limiter on the same version of Spring Boot. */
	Application reference() {
		return (this.line == Line.BOOT_4) ? BARE : BARE_3;
	}

	/** The arguments of the JVM. */
	List<String> arguments() {
		List<String> arguments = new ArrayList<>(
				List.of("-Xms256m", "-Xmx256m", "-cp", this.line.classPath, this.line.application));
		arguments.addAll(applicationArguments());
		return arguments;
	}

	/** The arguments of the application itself. */
	List<String> applicationArguments() {
		return List.of("--server.port=0", "--spring.profiles.active=" + this.profiles);
	}

	/**
	 * A version of Spring Boot, with its class path.
	 */
	private enum Line {

		BOOT_4(System.getProperty("java.class.path"), HttpApplication.class.getName()),

		/**
		 * Version 0.12.10 of bucket4j's starter does not start on Spring Boot 4.
		 */
		BOOT_3("benchmarks/bucket4j-starter/target/classes:benchmarks/bucket4j-starter/target/libraries/*",
				"io.tierlimit.benchmarks.bucket4j.Bucket4jApplication");

		private final String classPath;

		private final String application;

		Line(String classPath, String application) {
			this.classPath = classPath;
			this.application = application;
		}

	}

}

package io.tierlimit.recipes;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.application.RunningApplication;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * An application that runs with the YAML of a recipe in place of its
 * {@code application.yml}.
 */
final class Recipe {

	private Recipe() {
	}

	/**
	 * Starts the application.
	 * @param yaml the name of a file in {@code src/test/resources/recipes}, without its
	 * extension
	 */
	static RunningApplication start(Class<?> application, String yaml, String... properties) {
		return start(new SpringApplicationBuilder(application), yaml, properties);
	}

	static RunningApplication start(SpringApplicationBuilder application, String yaml, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("spring.config.location=classpath:/recipes/" + yaml + ".yml");
		return RunningApplication.start(application, all.toArray(String[]::new));
	}

}

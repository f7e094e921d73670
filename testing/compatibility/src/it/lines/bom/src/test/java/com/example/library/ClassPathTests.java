package com.example.library;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that Tierlimit has the version of its BOM, and changes no version that Spring
 * Boot manages.
 */
class ClassPathTests {

	private static final Pattern JAR = Pattern.compile("((tierlimit|spring-boot)[a-z-]*)-(\\d.*)\\.jar");

	@Test
	void versionsComeFromTheBoms() {
		Map<String, String> found = new TreeMap<>();
		for (String entry : System.getProperty("java.class.path").split(":")) {
			Matcher jar = JAR.matcher(Path.of(entry).getFileName().toString());
			if (jar.matches()) {
				found.put(jar.group(1), jar.group(3));
				assertThat(jar.group(3)).as(jar.group(1)).isEqualTo(System.getProperty(jar.group(2)));
			}
		}
		assertThat(found).containsKeys("tierlimit-spring-boot-starter", "tierlimit-spring-boot-autoconfigure",
				"tierlimit-spring-boot-test", "spring-boot", "spring-boot-autoconfigure");
	}

}

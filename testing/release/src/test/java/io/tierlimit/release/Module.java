package io.tierlimit.release;

import java.nio.file.Path;
import java.util.List;

/**
 * A module of the build.
 *
 * @param directory its directory
 * @param source its POM in the sources
 */
record Module(Path directory, Pom source) {

	static final Path PROJECT = Path.of("../..");

	static final Pom PARENT = Pom.read(PROJECT.resolve("pom.xml"));

	/**
	 * The modules that are published.
	 */
	static List<Module> published() {
		return PARENT.nodes("/project/modules/module")
			.stream()
			.map((module) -> PROJECT.resolve(module.getTextContent()))
			.map((directory) -> new Module(directory, Pom.read(directory.resolve("pom.xml"))))
			.filter((module) -> module.source.text("/project/properties/unpublished").equals("false"))
			.toList();
	}

	static String version() {
		return PARENT.text("/project/version");
	}

	String artifactId() {
		return this.source.text("/project/artifactId");
	}

	boolean isJar() {
		return !this.source.text("/project/packaging").equals("pom");
	}

	/**
	 * The POM that is published.
	 */
	Pom pom() {
		return Pom.read(target(".flattened-pom.xml"));
	}

	Path jar() {
		return jar("");
	}

	Path jar(String classifier) {
		return target(artifactId() + "-" + version() + classifier + ".jar");
	}

	Path target(String name) {
		return this.directory.resolve("target").resolve(name);
	}

	@Override
	public String toString() {
		return artifactId();
	}

}

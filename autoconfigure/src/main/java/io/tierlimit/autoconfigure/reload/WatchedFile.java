package io.tierlimit.autoconfigure.reload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * A file of one or more documents, each of which is a property source if its conditions
 * are met. Spring Boot names these property sources after the file and, if there are
 * several documents, their numbers. When the file is read again, the names are the same.
 */
final class WatchedFile implements WatchedSource {

	private static final Pattern DOCUMENT = Pattern.compile(" \\(document #\\d+\\)$");

	private final String name;

	private final Resource resource;

	private final PropertySourceLoader loader;

	private final MutablePropertySources sources;

	/**
	 * The properties of each document that are read at startup only; {@code null} until
	 * the file has been read again.
	 */
	private @Nullable List<Map<String, Object>> conditions;

	private byte @Nullable [] content;

	private WatchedFile(String name, Resource resource, PropertySourceLoader loader, MutablePropertySources sources) {
		this.name = name;
		this.resource = resource;
		this.loader = loader;
		this.sources = sources;
	}

	/** Finds the files that the property sources were read from. */
	static List<WatchedFile> findAll(MutablePropertySources sources) {
		Map<String, Resource> resources = new LinkedHashMap<>();
		for (PropertySource<?> source : sources) {
			Resource resource = (source instanceof OriginTrackedMapPropertySource file) ? resource(file) : null;
			if (resource != null && resource.isFile()) {
				resources.putIfAbsent(DOCUMENT.matcher(source.getName()).replaceFirst(""), resource);
			}
		}
		List<PropertySourceLoader> loaders = SpringFactoriesLoader.loadFactories(PropertySourceLoader.class, null);
		List<WatchedFile> files = new ArrayList<>();
		for (Map.Entry<String, Resource> file : resources.entrySet()) {
			for (PropertySourceLoader loader : loaders) {
				if (reads(loader, file.getKey(), file.getValue())) {
					files.add(new WatchedFile(file.getKey(), file.getValue(), loader, sources));
					break;
				}
			}
		}
		return files;
	}

	private static @Nullable Resource resource(OriginTrackedMapPropertySource source) {
		for (String property : source.getPropertyNames()) {
			if (source.getOrigin(property) instanceof TextResourceOrigin origin) {
				return origin.getResource();
			}
		}
		return null;
	}

	/**
	 * Whether a loader supports the extension of the file, or the extension that its
	 * location has in brackets.
	 */
	private static boolean reads(PropertySourceLoader loader, String name, Resource resource) {
		String file = String.valueOf(resource.getFilename());
		return Arrays.stream(loader.getFileExtensions())
			.anyMatch((extension) -> file.endsWith("." + extension) || name.contains("[." + extension + "]"));
	}

	@Override
	public boolean update() throws IOException {
		byte[] read = Files.readAllBytes(path());
		if (Arrays.equals(read, this.content)) {
			return false;
		}
		List<PropertySource<?>> documents = this.loader.load(this.name, this.resource);
		List<Map<String, Object>> found = documents.stream().map(WatchedFile::conditions).toList();
		boolean changed = this.conditions != null || !documents.stream().allMatch(this::isCurrent);
		if (this.conditions != null && !this.conditions.equals(found)) {
			throw new IllegalStateException(
					"The number of its documents has changed, or properties below spring.config "
							+ "or spring.profiles have, which are read at startup only");
		}
		for (PropertySource<?> document : documents) {
			if (this.sources.contains(document.getName())) {
				this.sources.replace(document.getName(), document);
			}
		}
		this.conditions = found;
		this.content = read;
		return changed;
	}

	private Path path() throws IOException {
		return this.resource.getFile().toPath();
	}

	/**
	 * Whether the environment has this content of a document. A document that the
	 * environment lacks was left out by its conditions.
	 */
	private boolean isCurrent(PropertySource<?> document) {
		PropertySource<?> current = this.sources.get(document.getName());
		return current == null || current.getSource().equals(document.getSource());
	}

	private static Map<String, Object> conditions(PropertySource<?> document) {
		Map<String, Object> conditions = new TreeMap<>(((MapPropertySource) document).getSource());
		conditions.keySet()
			.removeIf((property) -> !property.startsWith("spring.config.") && !property.startsWith("spring.profiles."));
		return conditions;
	}

	@Override
	public String toString() {
		try {
			return path().toString();
		}
		catch (IOException ex) {
			return this.name;
		}
	}

}

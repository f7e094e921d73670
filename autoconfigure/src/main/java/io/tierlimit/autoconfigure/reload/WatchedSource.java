package io.tierlimit.autoconfigure.reload;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.env.ConfigTreePropertySource.Option;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.ObjectUtils;

/**
 * A file or a directory of the configuration.
 * <p>
 * A file has one or more documents, each of which is a property source if its conditions
 * are met. Spring Boot names these property sources after the file and, if there are
 * several documents, their numbers. When the file is read again, the names are the same.
 * <p>
 * A directory has a file for each property, as Kubernetes mounts config maps and secrets.
 * Kubernetes replaces all of its files at once, by changing a symbolic link.
 */
final class WatchedSource {

	private static final Pattern DOCUMENT = Pattern.compile(" \\(document #\\d+\\)$");

	private final String path;

	private final Callable<List<PropertySource<?>>> reading;

	private final MutablePropertySources sources;

	/**
	 * The properties of each document that are read at startup only; {@code null} until
	 * the source has been read again.
	 */
	private @Nullable List<Map<String, Object>> conditions;

	/** The properties that were read last, by the names of the property sources. */
	private final Map<String, Map<String, String>> content = new LinkedHashMap<>();

	private WatchedSource(String path, Callable<List<PropertySource<?>>> reading, MutablePropertySources sources) {
		this.path = path;
		this.reading = reading;
		this.sources = sources;
	}

	/** Finds the files and directories that the property sources were read from. */
	static List<WatchedSource> findAll(MutablePropertySources sources) {
		Map<String, WatchedSource> found = new LinkedHashMap<>();
		for (PropertySource<?> source : sources) {
			String name = DOCUMENT.matcher(source.getName()).replaceFirst("");
			WatchedSource watched = found.containsKey(name) ? found.get(name) : find(name, source, sources);
			if (watched != null) {
				found.put(name, watched);
				watched.begin(source);
			}
		}
		return List.copyOf(found.values());
	}

	private static @Nullable WatchedSource find(String name, PropertySource<?> source, MutablePropertySources sources) {
		if (source instanceof ConfigTreePropertySource tree) {
			// the option with which Spring Boot reads config trees
			return new WatchedSource(tree.getSource().toString(),
					() -> List
						.of(new ConfigTreePropertySource(name, tree.getSource(), Option.AUTO_TRIM_TRAILING_NEW_LINE)),
					sources);
		}
		Resource file = (source instanceof OriginTrackedMapPropertySource properties) ? resource(properties) : null;
		return (file != null && file.isFile()) ? ofFile(name, file, sources) : null;
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
	 * Finds the loader that supports the extension of the file, or the extension that its
	 * location has in brackets.
	 */
	private static @Nullable WatchedSource ofFile(String name, Resource file, MutablePropertySources sources) {
		String path = path(file);
		for (PropertySourceLoader loader : SpringFactoriesLoader.loadFactories(PropertySourceLoader.class, null)) {
			for (String extension : loader.getFileExtensions()) {
				if (path.endsWith("." + extension) || name.contains("[." + extension + "]")) {
					return new WatchedSource(path, () -> loader.load(name, file), sources);
				}
			}
		}
		return null;
	}

	private static String path(Resource file) {
		try {
			return file.getFile().getPath();
		}
		catch (IOException ex) {
			return file.toString();
		}
	}

	/** Stores the properties that were read at startup. */
	private void begin(PropertySource<?> source) {
		try {
			this.content.put(source.getName(), properties(source));
		}
		catch (RuntimeException ex) {
			// A file has been removed since startup. The first check finds this change.
		}
	}

	/**
	 * Reads the file or directory again. Replaces the properties in the environment that
	 * have changed since the last call (or, for the first call, since startup). A
	 * document that the environment lacks was left out by its conditions.
	 * @return whether such properties have changed
	 * @throws Exception if the file or directory cannot be read, or is not valid; the
	 * environment is not changed then
	 */
	boolean update() throws Exception {
		Map<PropertySource<?>, Map<String, String>> read = new LinkedHashMap<>();
		for (PropertySource<?> source : this.reading.call()) {
			read.put(source, properties(source));
		}
		List<Map<String, Object>> found = read.keySet().stream().map(WatchedSource::conditions).toList();
		if (this.conditions != null && !this.conditions.equals(found)) {
			throw new IllegalStateException(
					"The number of its documents has changed, or properties below spring.config "
							+ "or spring.profiles have, which are read at startup only");
		}
		this.conditions = found;
		boolean changed = false;
		for (Map.Entry<PropertySource<?>, Map<String, String>> document : read.entrySet()) {
			String source = document.getKey().getName();
			Map<String, String> before = this.content.getOrDefault(source, Map.of());
			if (this.sources.contains(source) && !document.getValue().equals(before)) {
				this.sources.replace(source, document.getKey());
				this.content.put(source, document.getValue());
				changed = true;
			}
		}
		return changed;
	}

	/**
	 * Reads all properties with their places, which messages contain. A config tree
	 * caches what was read.
	 */
	private static Map<String, String> properties(PropertySource<?> source) {
		Map<String, String> properties = new TreeMap<>();
		for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
			properties.put(name, ObjectUtils.nullSafeToString(source.getProperty(name)) + " ("
					+ OriginLookup.getOrigin(source, name) + ")");
		}
		return properties;
	}

	/** The conditions of a document. A config tree has none. */
	private static Map<String, Object> conditions(PropertySource<?> source) {
		Map<String, Object> conditions = new TreeMap<>();
		if (source instanceof MapPropertySource document) {
			conditions.putAll(document.getSource());
		}
		conditions.keySet()
			.removeIf((property) -> !property.startsWith("spring.config.") && !property.startsWith("spring.profiles."));
		return conditions;
	}

	/** The path, for logs. */
	@Override
	public String toString() {
		return this.path;
	}

}

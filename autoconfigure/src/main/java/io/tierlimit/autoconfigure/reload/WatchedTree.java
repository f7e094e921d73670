package io.tierlimit.autoconfigure.reload;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.env.ConfigTreePropertySource.Option;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;

/**
 * A directory with a file for each property, as Kubernetes mounts config maps and
 * secrets. Kubernetes replaces all of its files at once, by changing a symbolic link.
 */
final class WatchedTree implements WatchedSource {

	private final String name;

	private final Path directory;

	private final MutablePropertySources sources;

	private Map<String, String> content;

	private WatchedTree(ConfigTreePropertySource source, MutablePropertySources sources) {
		this.name = source.getName();
		this.directory = source.getSource();
		this.sources = sources;
		this.content = startup(source);
	}

	private static Map<String, String> startup(ConfigTreePropertySource source) {
		try {
			return content(source);
		}
		catch (RuntimeException ex) {
			// A file has been removed since startup. The first check finds this change.
			return Map.of();
		}
	}

	/** Finds the directories that the property sources are read from. */
	static List<WatchedTree> findAll(MutablePropertySources sources) {
		List<WatchedTree> trees = new ArrayList<>();
		for (PropertySource<?> source : sources) {
			if (source instanceof ConfigTreePropertySource tree) {
				trees.add(new WatchedTree(tree, sources));
			}
		}
		return trees;
	}

	@Override
	public boolean update() {
		// the option with which Spring Boot reads config trees
		ConfigTreePropertySource source = new ConfigTreePropertySource(this.name, this.directory,
				Option.AUTO_TRIM_TRAILING_NEW_LINE);
		Map<String, String> read = content(source);
		if (read.equals(this.content)) {
			return false;
		}
		this.sources.replace(this.name, source);
		this.content = read;
		return true;
	}

	/** Reads all files. The property source caches what was read. */
	private static Map<String, String> content(ConfigTreePropertySource source) {
		Map<String, String> content = new TreeMap<>();
		for (String property : source.getPropertyNames()) {
			content.put(property, String.valueOf(source.getProperty(property)));
		}
		return content;
	}

	@Override
	public String toString() {
		return this.directory.toString();
	}

}

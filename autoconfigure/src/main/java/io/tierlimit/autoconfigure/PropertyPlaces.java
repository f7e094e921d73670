package io.tierlimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;

/**
 * Where properties stand, as an operator would look for them.
 */
final class PropertyPlaces {

	private final Iterable<ConfigurationPropertySource> sources;

	PropertyPlaces(Environment environment) {
		this.sources = ConfigurationPropertySources.get(environment);
	}

	/**
	 * A property and its place: {@code tierlimit.rules.a.rate (application.yml, line 3)}.
	 */
	String find(ConfigurationPropertyName name) {
		String origin = origin(name);
		return (origin != null) ? name + " (" + origin + ")" : name.toString();
	}

	/** The place alone: {@code application.yml, line 3}; {@code null} for nowhere. */
	@Nullable String origin(ConfigurationPropertyName name) {
		for (ConfigurationPropertySource source : this.sources) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property == null) {
				// A list stands as its elements.
				property = source.getConfigurationProperty(name.append("[0]"));
			}
			if (property != null) {
				return describe(property.getOrigin());
			}
		}
		return null;
	}

	/** The names of all properties below a prefix, each once. */
	List<ConfigurationPropertyName> below(ConfigurationPropertyName prefix) {
		List<ConfigurationPropertyName> names = new ArrayList<>();
		for (ConfigurationPropertySource source : this.sources) {
			if (source instanceof IterableConfigurationPropertySource iterable) {
				iterable.stream()
					.filter(prefix::isAncestorOf)
					.filter((name) -> !names.contains(name))
					.forEach(names::add);
			}
		}
		return names;
	}

	/** Whether an environment variable is what sets the property. */
	boolean isEnvironmentVariable(ConfigurationPropertyName name) {
		for (ConfigurationPropertySource source : this.sources) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property != null) {
				Origin origin = property.getOrigin();
				return ((origin instanceof PropertySourceOrigin wrapper) ? wrapper.getOrigin()
						: origin) instanceof SystemEnvironmentOrigin;
			}
		}
		return false;
	}

	private static @Nullable String describe(@Nullable Origin origin) {
		if (origin instanceof TextResourceOrigin text && text.getLocation() != null) {
			return describe(text.getResource()) + ", line " + (text.getLocation().getLine() + 1);
		}
		if (origin instanceof SystemEnvironmentOrigin variable) {
			return "environment variable " + variable.getProperty();
		}
		if (origin instanceof PropertySourceOrigin source) {
			return (source.getOrigin() != null) ? describe(source.getOrigin()) : source.getPropertySource().getName();
		}
		return (origin != null) ? origin.toString() : null;
	}

	private static String describe(@Nullable Resource resource) {
		Resource file = resource;
		if (file instanceof ClassPathResource classPath) {
			return classPath.getPath();
		}
		String name = (file != null) ? file.getFilename() : null;
		return (name != null) ? name : String.valueOf(resource);
	}

}

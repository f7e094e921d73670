package io.tierlimit.autoconfigure.environment;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;

/**
 * Finds the places where properties are set, as an operator wrote them: a file and line,
 * an environment variable, or the name of another source.
 *
 * @param environment has the properties
 * @param sources the sources of the environment, the first of which overrides all others
 */
public record PropertyOrigins(Environment environment, Iterable<ConfigurationPropertySource> sources) {

	/**
	 * An environment variable that Kubernetes sets in every container for a service of
	 * its namespace, such as a service {@code tierlimit-redis}.
	 */
	private static final Pattern SERVICE_LINK = Pattern
		.compile("[A-Z0-9_]+_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

	/**
	 * A variable {@code NAME_PORT} and its value. Only an address as value shows that
	 * Kubernetes sets the variable.
	 */
	private static final Pattern SERVICE_ADDRESS = Pattern.compile("[A-Z0-9_]+_PORT=(tcp|udp|sctp)://.*");

	/**
	 * Creates the origins of all properties.
	 * @param environment has the properties
	 */
	public PropertyOrigins(Environment environment) {
		this(environment, ConfigurationPropertySources.get(environment));
	}

	/**
	 * A property and its place: {@code tierlimit.rules.a.rate (application.yml, line 3)}.
	 * If a list is written as a single string, its elements have the place of the list.
	 * @param name the full name of the property
	 * @return the name, with the place if the property is set
	 */
	public String find(ConfigurationPropertyName name) {
		int last = name.getNumberOfElements() - 1;
		boolean inText = name.isNumericIndex(last) && property(name) == null;
		ConfigurationPropertyName written = inText ? name.chop(last) : name;
		String origin = origin(written);
		return (origin != null) ? written + " (" + origin + ")" : written.toString();
	}

	/**
	 * The place alone: {@code application.yml, line 3}. For a list, a rule or a plan,
	 * this is the place of its first property.
	 * @param name the full name of the property
	 * @return the place; {@code null} if the property is not set
	 */
	public @Nullable String origin(ConfigurationPropertyName name) {
		ConfigurationProperty property = property(name);
		if (property == null) {
			List<ConfigurationPropertyName> within = below(name);
			property = within.isEmpty() ? null : property(within.get(0));
		}
		String variable = variable(property);
		return (variable != null) ? "environment variable " + variable
				: (property != null) ? describe(property.getOrigin()) : null;
	}

	/**
	 * The property in the source whose value takes effect. A source replaces a list as a
	 * whole, whether it writes the list as a single string or as elements.
	 * @return the property; {@code null} if that source sets no value of that name
	 */
	private @Nullable ConfigurationProperty property(ConfigurationPropertyName name) {
		int last = name.getNumberOfElements() - 1;
		ConfigurationPropertyName list = name.isNumericIndex(last) ? name.chop(last) : name;
		ConfigurationProperty alone = null;
		for (ConfigurationPropertySource source : this.sources) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (source.getConfigurationProperty(list) != null
					|| source.getConfigurationProperty(list.append("[0]")) != null) {
				return property;
			}
			alone = (alone != null) ? alone : property;
		}
		// No source has the beginning of the list.
		return alone;
	}

	/**
	 * The names of all properties below a prefix, each once, without the variables that
	 * Kubernetes sets for services.
	 * @param prefix the name of a parent
	 * @return the names
	 */
	List<ConfigurationPropertyName> below(ConfigurationPropertyName prefix) {
		Set<ConfigurationPropertyName> names = new LinkedHashSet<>();
		this.sources.forEach((source) -> names.addAll(below(source, prefix)));
		return List.copyOf(names);
	}

	/**
	 * The names of the properties of a source below a prefix.
	 * @param source the source
	 * @param prefix the name of a parent
	 * @return the names; empty if the source cannot list its properties
	 */
	public List<ConfigurationPropertyName> below(ConfigurationPropertySource source, ConfigurationPropertyName prefix) {
		if (source instanceof IterableConfigurationPropertySource iterable) {
			return iterable.stream()
				.filter(prefix::isAncestorOf)
				.filter((name) -> !isServiceLink(source, name))
				.toList();
		}
		return List.of();
	}

	/**
	 * Whether a source lists every name for which it has a value. Environment variables
	 * are not listed by every such name, because a variable may have an underscore in
	 * place of each dash.
	 * @param source the source
	 * @return whether the source lists every name
	 */
	public boolean listsAll(ConfigurationPropertySource source) {
		return source instanceof IterableConfigurationPropertySource
				&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource);
	}

	private static boolean isServiceLink(ConfigurationPropertySource source, ConfigurationPropertyName name) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		String variable = variable(property);
		return property != null && variable != null && (SERVICE_LINK.matcher(variable).matches()
				|| SERVICE_ADDRESS.matcher(variable + "=" + property.getValue()).matches());
	}

	/**
	 * Whether a source reads a property from an environment variable. An entry of a list
	 * is read only after all entries before it.
	 */
	boolean isSetBy(ConfigurationPropertyName name, String variable) {
		for (ConfigurationPropertySource source : this.sources) {
			if (variable.equals(variable(source.getConfigurationProperty(name)))) {
				return hasEntriesBefore(source, name);
			}
		}
		return false;
	}

	private static boolean hasEntriesBefore(ConfigurationPropertySource source, ConfigurationPropertyName name) {
		int last = name.getNumberOfElements() - 1;
		String index = name.isNumericIndex(last) ? name.getElement(last, Form.ORIGINAL) : "0";
		ConfigurationPropertyName list = name.chop(last);
		return index.length() < 10 && IntStream.range(0, Integer.parseInt(index))
			.allMatch((before) -> source.getConfigurationProperty(list.append("[" + before + "]")) != null);
	}

	/** The environment variable that sets a property; {@code null} for another source. */
	@Nullable String variable(ConfigurationPropertyName name) {
		return variable(property(name));
	}

	/**
	 * The environment variable that sets a property.
	 * @param property the property
	 * @return the variable, or {@code null} for another source
	 */
	public static @Nullable String variable(@Nullable ConfigurationProperty property) {
		Origin origin = (property != null) ? property.getOrigin() : null;
		if (origin instanceof PropertySourceOrigin wrapper) {
			return (wrapper.getPropertySource() instanceof SystemEnvironmentPropertySource) ? wrapper.getPropertyName()
					: null;
		}
		return (origin instanceof SystemEnvironmentOrigin variable) ? variable.getProperty() : null;
	}

	/**
	 * A single value as a string, with its placeholders resolved; {@code null} if the
	 * property is not set.
	 * @param name the full name of the property
	 * @return the string, or {@code null}
	 */
	public @Nullable String text(ConfigurationPropertyName name) {
		ConfigurationProperty property = property(name);
		return (property != null) ? text(property.getValue()) : null;
	}

	/**
	 * A value as a string, with its placeholders resolved.
	 * @param value the value
	 * @return the string
	 */
	public String text(Object value) {
		return this.environment.resolvePlaceholders(String.valueOf(value));
	}

	private @Nullable String describe(@Nullable Origin origin) {
		if (origin instanceof TextResourceOrigin text && text.getLocation() != null) {
			return describe(text.getResource()) + ", line " + (text.getLocation().getLine() + 1);
		}
		if (origin instanceof PropertySourceOrigin source) {
			return (source.getOrigin() != null) ? describe(source.getOrigin()) : source.getPropertySource().getName();
		}
		return (origin != null) ? origin.toString() : null;
	}

	/** The name of a file, or its place if other files have the same name. */
	private String describe(@Nullable Resource file) {
		String name = name(file);
		long files = StreamSupport.stream(this.sources.spliterator(), false)
			.flatMap(PropertyOrigins::file)
			.filter((other) -> name(other).equals(name))
			.distinct()
			.count();
		return (files > 1) ? String.valueOf(file) : name;
	}

	/**
	 * The file that a source was read from; empty if the source was not read from a file.
	 */
	private static Stream<Resource> file(ConfigurationPropertySource source) {
		if (source.getUnderlyingSource() instanceof EnumerablePropertySource<?> file) {
			for (String property : file.getPropertyNames()) {
				if (OriginLookup.getOrigin(file, property) instanceof TextResourceOrigin origin) {
					return Stream.ofNullable(origin.getResource());
				}
			}
		}
		return Stream.empty();
	}

	private static String name(@Nullable Resource file) {
		String name = (file instanceof ClassPathResource classPath) ? classPath.getPath()
				: (file != null) ? file.getFilename() : null;
		return (name != null) ? name : String.valueOf(file);
	}

}

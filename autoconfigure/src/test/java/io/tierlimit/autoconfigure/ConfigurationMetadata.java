package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The metadata of the configuration, which each module has for its own properties.
 */
public final class ConfigurationMetadata {

	private static final String RESOURCE = "META-INF/spring-configuration-metadata.json";

	private ConfigurationMetadata() {
	}

	/**
	 * The properties of Tierlimit.
	 * @return the entries of all modules
	 */
	public static List<JsonNode> properties() {
		return read("properties");
	}

	/**
	 * The hints about values of properties.
	 * @return the entries of all modules
	 */
	public static List<JsonNode> hints() {
		return read("hints");
	}

	private static List<JsonNode> read(String list) {
		List<JsonNode> entries = new ArrayList<>();
		try {
			for (URL module : Collections.list(ConfigurationMetadata.class.getClassLoader().getResources(RESOURCE))) {
				try (InputStream metadata = module.openStream()) {
					JsonMapper.shared()
						.readTree(metadata)
						.path(list)
						.valueStream()
						.filter((entry) -> name(entry).matches("tierlimit\\..*|management\\..*\\.ratelimit.*"))
						.forEach(entries::add);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return entries;
	}

	/**
	 * The name of an entry.
	 * @param entry a property or a hint
	 * @return the name
	 */
	public static String name(JsonNode entry) {
		return entry.path("name").asString();
	}

}

package io.tierlimit.autoconfigure.rules;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class PropertyOriginsTests {

	private final StandardEnvironment environment = new StandardEnvironment();

	@Test
	void elementOfAListHasThePlaceOfTheElement() {
		PropertyOrigins origins = origins(Map.of(), Map.of("a.list[0]", "x", "a.list[1]", "y"));
		assertThat(origins.find(name("a.list[1]"))).isEqualTo("a.list[1] (base)");
		assertThat(origins.text(name("a.list[1]"))).isEqualTo("y");
	}

	@Test
	void textThatOverridesElementsHasThePlaceOfTheText() {
		PropertyOrigins origins = origins(Map.of("a.list", "v,w"), Map.of("a.list[0]", "x", "a.list[1]", "y"));
		assertThat(origins.find(name("a.list[1]"))).isEqualTo("a.list (profile)");
		assertThat(origins.text(name("a.list[1]"))).isNull();
		assertThat(origins.text(name("a.list"))).isEqualTo("v,w");
	}

	@Test
	void elementsThatOverrideATextHaveThePlaceOfTheElements() {
		PropertyOrigins origins = origins(Map.of("a.list[0]", "x"), Map.of("a.list", "v,w"));
		assertThat(origins.find(name("a.list"))).isEqualTo("a.list (profile)");
		assertThat(origins.text(name("a.list"))).isNull();
	}

	private PropertyOrigins origins(Map<String, Object> profile, Map<String, Object> base) {
		this.environment.getPropertySources().addLast(new MapPropertySource("profile", profile));
		this.environment.getPropertySources().addLast(new MapPropertySource("base", base));
		ConfigurationPropertySources.attach(this.environment);
		return new PropertyOrigins(this.environment);
	}

	private static ConfigurationPropertyName name(String name) {
		return ConfigurationPropertyName.of(name);
	}

}

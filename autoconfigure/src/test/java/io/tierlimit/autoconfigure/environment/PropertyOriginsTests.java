package io.tierlimit.autoconfigure.environment;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

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
	void elementsThatOverrideAStringHaveThePlaceOfTheElements() {
		PropertyOrigins origins = origins(Map.of("a.list[0]", "x"), Map.of("a.list", "v,w"));
		assertThat(origins.find(name("a.list"))).isEqualTo("a.list (profile)");
		assertThat(origins.text(name("a.list"))).isNull();
	}

	@Test
	void filesWithTheSameNameHaveTheirPlaces() {
		Resource jar = new ClassPathResource("application.yml");
		Resource outside = new FileSystemResource("config/application.yml");
		addFile("a.x", outside);
		addFile("a.y", jar);
		addFile("a.z", new FileSystemResource("config/application-prod.yml"));
		ConfigurationPropertySources.attach(this.environment);
		PropertyOrigins origins = new PropertyOrigins(this.environment);
		assertThat(origins.origin(name("a.x"))).isEqualTo(outside.getDescription() + ", line 3")
			.contains("config/application.yml");
		assertThat(origins.origin(name("a.y"))).isEqualTo("class path resource [application.yml], line 3");
		assertThat(origins.origin(name("a.z"))).isEqualTo("application-prod.yml, line 3");
	}

	@Test
	void documentsOfOneFileHaveItsName() {
		Resource file = new ClassPathResource("application.yml");
		addFile("a.x", file);
		addFile("a.y", file);
		ConfigurationPropertySources.attach(this.environment);
		assertThat(new PropertyOrigins(this.environment).origin(name("a.x"))).isEqualTo("application.yml, line 3");
	}

	private void addFile(String property, Resource file) {
		Origin origin = new TextResourceOrigin(file, new TextResourceOrigin.Location(2, 0));
		this.environment.getPropertySources()
			.addLast(
					new OriginTrackedMapPropertySource(property, Map.of(property, OriginTrackedValue.of("1", origin))));
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

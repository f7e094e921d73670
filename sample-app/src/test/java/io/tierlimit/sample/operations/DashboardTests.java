package io.tierlimit.sample.operations;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests {@code dashboards/tierlimit-grafana.json} without a running shop.
 */
class DashboardTests {

	@Test
	void dashboardIsImportedWithItsDataSource() throws IOException {
		JsonNode json = Dashboard.read().json();
		assertThat(json.get("schemaVersion").asInt()).isGreaterThanOrEqualTo(39);
		assertThat(json.get("__inputs").get(0).get("name").asString()).isEqualTo("DS_PROMETHEUS");
		JsonNode variables = json.get("templating").get("list");
		assertThat(variables.valueStream().map((variable) -> variable.get("name").asString()))
			.containsExactly("datasource", "job", "instance", "rule");
		assertThat(variables.get(0).get("current").get("value").asString()).isEqualTo("${DS_PROMETHEUS}");
		assertThat(json.findValues("datasource")).isNotEmpty()
			.allSatisfy((source) -> assertThat(source.get("uid").asString()).isEqualTo("${datasource}"));
	}

	@Test
	void panelsHaveDifferentIdsAndPositions() throws IOException {
		JsonNode panels = Dashboard.read().json().get("panels");
		assertThat(panels.findValues("id").stream().filter(JsonNode::isInt)).doesNotHaveDuplicates();
		assertThat(panels.findValues("gridPos")).doesNotHaveDuplicates();
	}

	@Test
	void everyPanelHasADescription() throws IOException {
		for (JsonNode panel : Dashboard.read().panels()) {
			assertThat(panel.path("description").asString("")).as(panel.path("title").asString())
				.hasSizeGreaterThan(50);
			assertThat(panel.path("fieldConfig").path("defaults").path("unit").asString("")).isNotEmpty();
		}
	}

}

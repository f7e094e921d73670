package io.tierlimit.sample.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A Grafana dashboard.
 */
final class Dashboard {

	private static final Path FILE = Path.of("../dashboards/tierlimit-grafana.json");

	/** The values of variables that select all series and the last half minute. */
	private static final Map<String, String> VARIABLES = Map.of("$__rate_interval", "30s", "$__range", "5m", "$job",
			".+", "$instance", ".+", "$rule", ".+");

	private final JsonNode json;

	private Dashboard(JsonNode json) {
		this.json = json;
	}

	/** The dashboard of Tierlimit. */
	static Dashboard read() throws IOException {
		return new Dashboard(new JsonMapper().readTree(Files.readString(FILE)));
	}

	JsonNode json() {
		return this.json;
	}

	/** The panels with queries. */
	List<JsonNode> panels() {
		return this.json.get("panels").valueStream().filter((panel) -> panel.has("targets")).toList();
	}

	/**
	 * The expressions of panels and variables by their names, with values for variables.
	 */
	Map<String, String> expressions() {
		Map<String, String> expressions = new TreeMap<>();
		for (JsonNode panel : panels()) {
			for (JsonNode target : panel.get("targets")) {
				expressions.put(panel.get("title").asString() + " " + target.get("refId").asString(),
						substitute(target.get("expr").asString()));
			}
		}
		for (JsonNode variable : this.json.get("templating").get("list")) {
			if (variable.get("type").asString().equals("query")) {
				String query = variable.get("query").get("query").asString();
				expressions.put("$" + variable.get("name").asString(),
						substitute(query.replaceAll("label_values\\((.*), (\\w+)\\)", "count by ($2) ($1)")));
			}
		}
		return expressions;
	}

	private static String substitute(String expression) {
		String substituted = expression;
		for (Map.Entry<String, String> variable : VARIABLES.entrySet()) {
			substituted = substituted.replace(variable.getKey(), variable.getValue());
		}
		return substituted;
	}

}

package io.tierlimit.rule.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The rows of rules and of the limits of plans, as properties. A column that is null or
 * blank sets no property, because database tools often write an empty string instead of
 * null.
 *
 * @param properties the properties of each rule
 * @param places the places of the properties of each rule
 */
record RuleRows(Map<String, Map<String, String>> properties, Map<String, Map<String, String>> places) {

	/** Columns that have the name of their property. */
	private static final List<String> RULE = List.of("mode", "rate", "burst", "algorithm", "scope", "paths", "methods",
			"cost");

	private static final List<String> PLAN_LIMIT = List.of("rate", "burst");

	/** The column of the property {@code key}, which is a reserved word in MySQL. */
	private static final String KEY = "key_expression";

	/** The column of the property {@code limit}, which is a reserved word in SQL. */
	static final String LIMIT = "max_in_use";

	/** One statement, so that the rows of both tables are from the same point in time. */
	static final String SELECT = """
			SELECT rule_id, NULL AS plan_name, enabled, mode, rate, burst, max_in_use, algorithm, scope,
				key_expression, paths, methods, cost, NULL AS unlimited, properties
			FROM tierlimit_rule
			UNION ALL
			SELECT rule_id, plan_name, NULL, NULL, rate, burst, max_in_use, NULL, NULL,
				NULL, NULL, NULL, NULL, unlimited, NULL
			FROM tierlimit_plan_limit
			ORDER BY rule_id""";

	RuleRows() {
		this(new LinkedHashMap<>(), new LinkedHashMap<>());
	}

	@Nullable String placeOf(String rule, String property) {
		return this.places.getOrDefault(rule, Map.of()).get(property);
	}

	/** Adds the current row of a result of {@link #SELECT}. */
	void add(ResultSet row) throws SQLException {
		String rule = row.getString("rule_id");
		String plan = row.getString("plan_name");
		if (plan != null) {
			addPlanLimit(rule, plan, row);
		}
		else {
			addRule(rule, row);
		}
	}

	private void addRule(String rule, ResultSet row) throws SQLException {
		String place = "table tierlimit_rule, row '" + rule + "', column ";
		set(rule, "enabled", flag(row, "enabled"), place + "enabled");
		for (String column : RULE) {
			set(rule, column, row.getString(column), place + column);
		}
		set(rule, "limit", row.getString(LIMIT), place + LIMIT);
		set(rule, "key", row.getString(KEY), place + KEY);
		String others = row.getString("properties");
		if (others != null) {
			others.lines()
				.filter((line) -> !line.isBlank())
				.forEach((line) -> addLine(rule, line, place + "properties"));
		}
	}

	private void addLine(String rule, String line, String place) {
		String[] parts = line.split("=", 2);
		if (parts.length == 2) {
			set(rule, parts[0].strip(), parts[1].strip(), place);
		}
		else {
			// No property has this name, so the line is reported with its place.
			set(rule, line.strip() + " (without =)", line, place);
		}
	}

	private void addPlanLimit(String rule, String plan, ResultSet row) throws SQLException {
		String place = "table tierlimit_plan_limit, row '" + rule + "', '" + plan + "', column ";
		String limit = "plans." + (plan.matches("[\\w-]+") ? plan : "[" + plan + "]") + ".";
		for (String column : PLAN_LIMIT) {
			set(rule, limit + column, row.getString(column), place + column);
		}
		set(rule, limit + "limit", row.getString(LIMIT), place + LIMIT);
		set(rule, limit + "unlimited", flag(row, "unlimited"), place + "unlimited");
	}

	static @Nullable String flag(ResultSet row, String column) throws SQLException {
		boolean value = row.getBoolean(column);
		return row.wasNull() ? null : String.valueOf(value);
	}

	private void set(String rule, String property, @Nullable String value, String place) {
		if (value == null || value.isBlank()) {
			return;
		}
		Map<String, String> known = this.properties.computeIfAbsent(rule, (id) -> new LinkedHashMap<>());
		// A second value of the same property gets another spelling, which is reported
		// with its place.
		String name = known.containsKey(property) ? property.toUpperCase(Locale.ROOT) : property;
		known.put(name, value);
		this.places.computeIfAbsent(rule, (id) -> new LinkedHashMap<>()).put(name, place);
	}

}

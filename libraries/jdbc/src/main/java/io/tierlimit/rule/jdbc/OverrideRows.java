package io.tierlimit.rule.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.tierlimit.jdbc.JdbcDatabase;
import org.jspecify.annotations.Nullable;

/**
 * The rows of overrides, as properties. A column that is null or blank sets no property.
 *
 * @param database converts timestamps
 * @param overrides the properties of each override
 */
record OverrideRows(JdbcDatabase database, Map<String, Map<String, String>> overrides) {

	/** Columns whose string is the value of a property. */
	private static final Map<String, String> STRINGS = strings();

	static final String DELETE = "DELETE FROM tierlimit_override WHERE override_id = ?";

	static final String TABLE = "tierlimit_override";

	static final List<String> COLUMNS = columns();

	/** Rows of overrides that have ended are not read. */
	static final String SELECT = "SELECT " + String.join(", ", COLUMNS)
			+ " FROM tierlimit_override WHERE ends_at IS NULL OR ends_at > ? ORDER BY override_id";

	OverrideRows(JdbcDatabase database) {
		this(database, new LinkedHashMap<>());
	}

	private static Map<String, String> strings() {
		Map<String, String> strings = new LinkedHashMap<>();
		strings.put("rules", "rule_ids");
		strings.put("user", "user_name");
		for (String name : List.of("address", "rate", "burst", "reason")) {
			strings.put(name, name);
		}
		strings.put("limit", RuleRows.LIMIT);
		return strings;
	}

	private static List<String> columns() {
		List<String> columns = new ArrayList<>(List.of("override_id"));
		columns.addAll(STRINGS.values());
		columns.addAll(List.of("bucket_key", "unlimited", "blocked", "ends_at"));
		return List.copyOf(columns);
	}

	/** Adds the current row of a result of {@link #SELECT}. */
	void add(ResultSet row) throws SQLException {
		Map<String, String> properties = new LinkedHashMap<>();
		for (Map.Entry<String, String> text : STRINGS.entrySet()) {
			set(properties, text.getKey(), row.getString(text.getValue()));
		}
		String key = row.getString("bucket_key");
		if (key != null) {
			List<String> parts = key.lines().toList();
			for (int i = 0; i < parts.size(); i++) {
				properties.put("key[" + i + "]", parts.get(i));
			}
		}
		for (String flag : List.of("unlimited", "blocked")) {
			set(properties, flag, RuleRows.flag(row, flag));
		}
		Instant end = this.database.timestamp(row, "ends_at");
		set(properties, "until", (end != null) ? end.toString() : null);
		this.overrides.put(row.getString("override_id"), properties);
	}

	private static void set(Map<String, String> properties, String name, @Nullable String value) {
		if (value != null && !value.isBlank()) {
			properties.put(name, value);
		}
	}

	/**
	 * The values of {@link #COLUMNS} for a valid override.
	 * @throws IllegalArgumentException if the table cannot store a string unchanged
	 */
	static @Nullable Object[] values(JdbcDatabase database, String id, Map<String, String> properties) {
		properties.forEach(OverrideRows::checkText);
		List<@Nullable Object> values = new ArrayList<>();
		values.add(id);
		STRINGS.keySet().forEach((name) -> values.add(properties.get(name)));
		List<String> parts = new ArrayList<>();
		for (String part = properties.get("key[0]"); part != null; part = properties.get("key[" + parts.size() + "]")) {
			if (part.indexOf('\n') >= 0 || part.indexOf('\r') >= 0) {
				throw new IllegalArgumentException("key[" + parts.size()
						+ "] must not contain a line break, because line breaks separate the parts of a key in the table");
			}
			parts.add(part);
		}
		values.add(parts.isEmpty() ? null : String.join("\n", parts));
		values.add("true".equals(properties.get("unlimited")));
		values.add("true".equals(properties.get("blocked")));
		String until = properties.get("until");
		values.add((until != null) ? database.parameter(OffsetDateTime.parse(until).toInstant()) : null);
		return values.toArray();
	}

	/**
	 * Rejects strings that databases cannot store. Databases reject a NUL character.
	 * Drivers replace half of a surrogate pair with other characters, and the result may
	 * be the name of another caller.
	 */
	private static void checkText(String name, String text) {
		if (text.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
			throw new IllegalArgumentException(name
					+ " must not contain a NUL character or half of a surrogate pair, which databases cannot store");
		}
	}

}

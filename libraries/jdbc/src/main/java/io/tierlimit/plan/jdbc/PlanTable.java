package io.tierlimit.plan.jdbc;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.tierlimit.jdbc.JdbcDatabase;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.jdbc.BadSqlGrammarException;

/**
 * The table of the plans of users. A new instance does not connect.
 *
 * @param database has the table
 */
public record PlanTable(JdbcDatabase database) {

	private static final String NAME = "plans";

	private static final String SELECT = "SELECT user_name, plan_name FROM tierlimit_user_plan WHERE user_name IN ";

	/** The maximum length of a name in the table. */
	static final int MAX_NAME = 255;

	/** Control characters, and other characters without a glyph. */
	private static final Pattern CONTROL = Pattern.compile("\\p{C}");

	/**
	 * Reads the plans of users with one statement, or with several if the database
	 * rejects a name. A user whose name is rejected has no plan. If the table does not
	 * exist, it is created if the settings of the database allow this.
	 * @param users the names of users; any strings, as identity providers accept them
	 * @return the plans by the names of users, without users that have no plan
	 */
	Map<String, String> read(Collection<String> users) {
		List<String> names = users.stream().distinct().filter(PlanTable::mayHave).toList();
		return this.database.withTables(NAME, () -> readTable(names));
	}

	/** Whether a user may have a row. Names that no database accepts are not queried. */
	private static boolean mayHave(String user) {
		return user.length() <= MAX_NAME && !CONTROL.matcher(user).find();
	}

	/**
	 * Reads the plans of some names. If the database rejects the statement, one of the
	 * names may contain a character that the column cannot store. The list is then halved
	 * to read the other names. A failure of the table itself is reported.
	 */
	private Map<String, String> readTable(List<String> names) {
		try {
			return query(names);
		}
		catch (DataAccessException ex) {
			if (!mayBeCausedByAName(ex)) {
				throw ex;
			}
			query(List.of());
		}
		Map<String, String> plans = new HashMap<>();
		int middle = names.size() / 2;
		if (middle > 0) {
			plans.putAll(readTable(names.subList(0, middle)));
			plans.putAll(readTable(names.subList(middle, names.size())));
		}
		return plans;
	}

	private static boolean mayBeCausedByAName(DataAccessException failure) {
		return failure instanceof NonTransientDataAccessException
				&& !(failure instanceof NonTransientDataAccessResourceException)
				&& !(failure instanceof BadSqlGrammarException);
	}

	private Map<String, String> query(List<String> names) {
		Map<String, String> plans = new HashMap<>();
		List<String> users = names.isEmpty() ? List.of("") : names;
		String parameters = String.join(", ", Collections.nCopies(users.size(), "?"));
		this.database.template().query(SELECT + "(" + parameters + ")", (row) -> {
			String plan = row.getString("plan_name");
			if (plan != null) {
				// A view may have several rows for a user. The order of rows is not
				// defined.
				plans.merge(row.getString("user_name"), plan, (one, other) -> (one.compareTo(other) < 0) ? one : other);
			}
		}, users.toArray());
		return plans;
	}

}

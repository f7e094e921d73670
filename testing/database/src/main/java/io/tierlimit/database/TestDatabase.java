package io.tierlimit.database;

import java.util.UUID;

/**
 * A kind of database that tests can use.
 */
public enum TestDatabase {

	/** H2 in the memory of this JVM. */
	H2 {

		@Override
		public String create() {
			return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;USER=sa";
		}

	},

	/** The PostgreSQL server of this JVM. */
	POSTGRESQL {

		@Override
		public String create() {
			return PostgreSql.server().createDatabase();
		}

	},

	/** The MariaDB server of this JVM. */
	MARIADB {

		@Override
		public String create() {
			return MariaDb.server().createDatabase();
		}

	};

	/**
	 * Creates an empty database, and starts its server if it does not run.
	 * @return the JDBC URL, with the name of the user; no password is required
	 */
	public abstract String create();

}

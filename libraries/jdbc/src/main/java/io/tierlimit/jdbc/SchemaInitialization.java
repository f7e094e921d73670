package io.tierlimit.jdbc;

/**
 * When the tables of Tierlimit are created.
 */
public enum SchemaInitialization {

	/** Only in a database in the memory of the application: H2 without a file. */
	EMBEDDED,

	/** In every database. Existing tables are not changed. */
	ALWAYS,

	/** Never: the application, or its tool for migrations, creates the tables. */
	NEVER

}

-- NULL: not set here, so that the configuration applies.
CREATE TABLE IF NOT EXISTS tierlimit_rule (
	rule_id VARCHAR(100) PRIMARY KEY,
	enabled BOOLEAN,
	mode VARCHAR(20),
	rate VARCHAR(50),
	burst VARCHAR(50),
	max_in_use VARCHAR(50),
	algorithm VARCHAR(30),
	scope VARCHAR(200),
	key_expression VARCHAR(1000),
	paths VARCHAR(2000),
	methods VARCHAR(200),
	cost VARCHAR(1000),
	properties TEXT
);

CREATE TABLE IF NOT EXISTS tierlimit_plan_limit (
	rule_id VARCHAR(100) NOT NULL,
	plan_name VARCHAR(100) NOT NULL,
	rate VARCHAR(50),
	burst VARCHAR(50),
	max_in_use VARCHAR(50),
	unlimited BOOLEAN,
	PRIMARY KEY (rule_id, plan_name)
);

CREATE TABLE IF NOT EXISTS tierlimit_override (
	override_id VARCHAR(100) PRIMARY KEY,
	rule_ids VARCHAR(2000),
	user_name VARCHAR(500),
	address VARCHAR(50),
	bucket_key VARCHAR(2000),
	rate VARCHAR(50),
	burst VARCHAR(50),
	max_in_use VARCHAR(50),
	unlimited BOOLEAN,
	blocked BOOLEAN,
	ends_at TIMESTAMP(6) WITH TIME ZONE,
	reason VARCHAR(500)
);

-- Triggers raise the version with each change, so that instances find it without reading the tables.
CREATE TABLE IF NOT EXISTS tierlimit_version (
	name VARCHAR(30) PRIMARY KEY,
	version BIGINT NOT NULL
);

CREATE OR REPLACE FUNCTION tierlimit_changed() RETURNS TRIGGER LANGUAGE plpgsql AS '
BEGIN
	EXECUTE format(''INSERT INTO %I.tierlimit_version AS known (name, version) VALUES ($1, 1)
		ON CONFLICT (name) DO UPDATE SET version = known.version + 1'', TG_TABLE_SCHEMA) USING TG_ARGV[0];
	PERFORM pg_notify(''tierlimit'', TG_ARGV[0]);
	RETURN NULL;
END';

DROP TRIGGER IF EXISTS tierlimit_rule_changed ON tierlimit_rule;

CREATE TRIGGER tierlimit_rule_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tierlimit_rule
	EXECUTE FUNCTION tierlimit_changed('rules');

DROP TRIGGER IF EXISTS tierlimit_plan_limit_changed ON tierlimit_plan_limit;

CREATE TRIGGER tierlimit_plan_limit_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tierlimit_plan_limit
	EXECUTE FUNCTION tierlimit_changed('rules');

DROP TRIGGER IF EXISTS tierlimit_override_changed ON tierlimit_override;

CREATE TRIGGER tierlimit_override_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON tierlimit_override
	EXECUTE FUNCTION tierlimit_changed('rules');

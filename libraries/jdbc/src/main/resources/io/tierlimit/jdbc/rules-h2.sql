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
	properties VARCHAR(10000)
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

CREATE VIEW IF NOT EXISTS tierlimit_version AS
	SELECT 'rules' AS name, MAX(last_modification) AS version
	FROM information_schema.tables
	WHERE table_schema = SCHEMA() AND LOWER(table_name) IN ('tierlimit_rule', 'tierlimit_plan_limit', 'tierlimit_override');

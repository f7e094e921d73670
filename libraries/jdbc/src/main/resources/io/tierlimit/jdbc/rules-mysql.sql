-- NULL: not set here, so that the configuration applies.
CREATE TABLE IF NOT EXISTS tierlimit_rule (
	rule_id VARCHAR(100) NOT NULL PRIMARY KEY,
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
) CHARACTER SET utf8mb4;

CREATE TABLE IF NOT EXISTS tierlimit_plan_limit (
	rule_id VARCHAR(100) NOT NULL,
	plan_name VARCHAR(100) NOT NULL,
	rate VARCHAR(50),
	burst VARCHAR(50),
	max_in_use VARCHAR(50),
	unlimited BOOLEAN,
	PRIMARY KEY (rule_id, plan_name)
) CHARACTER SET utf8mb4;

CREATE TABLE IF NOT EXISTS tierlimit_override (
	override_id VARCHAR(100) NOT NULL PRIMARY KEY,
	rule_ids VARCHAR(2000),
	user_name VARCHAR(500),
	address VARCHAR(50),
	bucket_key VARCHAR(2000),
	rate VARCHAR(50),
	burst VARCHAR(50),
	max_in_use VARCHAR(50),
	unlimited BOOLEAN,
	blocked BOOLEAN,
	ends_at DATETIME(6) COMMENT 'UTC',
	reason VARCHAR(500)
) CHARACTER SET utf8mb4;

-- Triggers raise the version with each change, so that instances find it without reading the tables.
CREATE TABLE IF NOT EXISTS tierlimit_version (
	name VARCHAR(30) NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
) CHARACTER SET utf8mb4;

CREATE TRIGGER IF NOT EXISTS tierlimit_rule_inserted AFTER INSERT ON tierlimit_rule FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_rule_updated AFTER UPDATE ON tierlimit_rule FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_rule_deleted AFTER DELETE ON tierlimit_rule FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_plan_limit_inserted AFTER INSERT ON tierlimit_plan_limit FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_plan_limit_updated AFTER UPDATE ON tierlimit_plan_limit FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_plan_limit_deleted AFTER DELETE ON tierlimit_plan_limit FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_override_inserted AFTER INSERT ON tierlimit_override FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_override_updated AFTER UPDATE ON tierlimit_override FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

CREATE TRIGGER IF NOT EXISTS tierlimit_override_deleted AFTER DELETE ON tierlimit_override FOR EACH ROW
	INSERT INTO tierlimit_version (name, version) VALUES ('rules', 1) ON DUPLICATE KEY UPDATE version = version + 1;

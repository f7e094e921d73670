CREATE TABLE IF NOT EXISTS tierlimit_rejection (
	id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	rejected_at DATETIME(6) NOT NULL COMMENT 'UTC',
	rule_id VARCHAR(100) NOT NULL,
	bucket_key VARCHAR(1000) NOT NULL,
	plan_name VARCHAR(255),
	user_name VARCHAR(255),
	address VARCHAR(64),
	endpoint VARCHAR(1000),
	cost BIGINT NOT NULL,
	remaining BIGINT NOT NULL,
	retry_after_ms BIGINT,
	shadow BOOLEAN NOT NULL,
	INDEX tierlimit_rejection_at (rejected_at),
	INDEX tierlimit_rejection_rule (rule_id, rejected_at)
) CHARACTER SET utf8mb4;

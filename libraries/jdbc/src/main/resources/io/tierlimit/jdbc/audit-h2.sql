CREATE TABLE IF NOT EXISTS tierlimit_rejection (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	rejected_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
	rule_id VARCHAR(100) NOT NULL,
	bucket_key VARCHAR(1000) NOT NULL,
	plan_name VARCHAR(255),
	user_name VARCHAR(255),
	address VARCHAR(64),
	endpoint VARCHAR(1000),
	cost BIGINT NOT NULL,
	remaining BIGINT NOT NULL,
	retry_after_ms BIGINT,
	shadow BOOLEAN NOT NULL
);

CREATE INDEX IF NOT EXISTS tierlimit_rejection_at ON tierlimit_rejection (rejected_at);

CREATE INDEX IF NOT EXISTS tierlimit_rejection_rule ON tierlimit_rejection (rule_id, rejected_at);

CREATE TABLE IF NOT EXISTS tierlimit_user_plan (
	user_name VARCHAR(255) PRIMARY KEY,
	plan_name VARCHAR(100) NOT NULL
);

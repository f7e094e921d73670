-- The names of users are case-sensitive.
CREATE TABLE IF NOT EXISTS tierlimit_user_plan (
	user_name VARCHAR(255) NOT NULL PRIMARY KEY,
	plan_name VARCHAR(100) NOT NULL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE bucket (
  rule       VARCHAR   NOT NULL,
  bucket_key VARCHAR   NOT NULL,
  state      VARBINARY NOT NULL,
  full_at    BIGINT    NOT NULL,
  PRIMARY KEY (rule, bucket_key)
);

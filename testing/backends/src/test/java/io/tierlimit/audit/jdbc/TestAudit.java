package io.tierlimit.audit.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.tierlimit.evaluation.TestDecision;
import io.tierlimit.rule.TestRules;
import io.tierlimit.spi.Endpoint;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Rejections and options for tests.
 */
final class TestAudit {

	private TestAudit() {
	}

	/** A queue of 10, and batches of 4. */
	static AuditOptions options() {
		return new AuditOptions(false, true, 10, 4, Duration.ofSeconds(1), Duration.ofDays(30));
	}

	static Rejection rejection(Instant at, String bucket) {
		return new Rejection(at, TestDecision.rejected(TestRules.rule("search", 10)).onBucket(bucket), "ada",
				"192.0.2.1", new Endpoint("GET", "/search"));
	}

	static List<String> buckets(JdbcTemplate template) {
		return template.queryForList("SELECT bucket_key FROM tierlimit_rejection ORDER BY id", String.class);
	}

}

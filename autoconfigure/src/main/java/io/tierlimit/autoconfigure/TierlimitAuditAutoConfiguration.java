package io.tierlimit.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;

import io.tierlimit.audit.jdbc.AuditOptions;
import io.tierlimit.audit.jdbc.AuditWriter;
import io.tierlimit.audit.jdbc.RejectionQueue;
import io.tierlimit.audit.jdbc.RejectionTable;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.jdbc.JdbcDatabase;
import io.tierlimit.key.KeyHash;
import io.tierlimit.store.Ticker;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Configures the table of rejections. If the table is enabled but cannot be used, the
 * application does not start.
 */
@AutoConfiguration(after = TierlimitJdbcAutoConfiguration.class, before = TierlimitAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty("tierlimit.audit.jdbc.enabled")
public final class TierlimitAuditAutoConfiguration {

	/** How long the application waits for the database when it stops. */
	private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

	/**
	 * The queue of rejections, and the task that writes them to the table.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JdbcTemplate.class)
	static final class Writing {

		@Bean
		@DependsOn("rateLimitConfiguredRules")
		@ConditionalOnMissingBean
		AuditOptions rateLimitAuditOptions(TierlimitProperties properties) {
			TierlimitProperties.AuditJdbc audit = properties.audit().jdbc();
			return new AuditOptions(audit.shadow(), audit.identities(), audit.retention());
		}

		@Bean
		RejectionQueue rateLimitRejectionQueue(AuditOptions options) {
			return new RejectionQueue(options, InstantSource.system());
		}

		@Bean
		@DependsOn("rateLimitConfiguredRules")
		@Lazy(false)
		AuditWriter rateLimitAuditWriter(RejectionQueue queue, JdbcDatabase database, KeyHash hash, Ticker ticker,
				AuditOptions options) {
			return new AuditWriter(queue, new RejectionTable(database, hash), options, ticker, InstantSource.system(),
					STOP_LIMIT);
		}

	}

}

package io.tierlimit.application;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tierlimit.RateLimitRejectedEvent;
import io.tierlimit.event.RejectionLog;
import io.tierlimit.junit.Poll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the events and log lines of rejections.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class RejectionEventTests {

	@RegisterExtension
	static final SharedApplications applications = new SharedApplications();

	private RunningApplication application;

	@Test
	void logEventHasAllFactsAsPairsForStructuredLogging() {
		start("tierlimit.rules.users.rate=1/d", "tierlimit.rules.users.scope=user", "tierlimit.rejections.log=true",
				"logging.level.io.tierlimit.event=info");
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger(RejectionLog.class);
		lines.start();
		logger.addAppender(lines);
		try {
			get("alice", 5);
			Poll.until(() -> !lines.list.isEmpty(), () -> "no line");
		}
		finally {
			logger.detachAppender(lines);
		}
		assertThat(lines.list).singleElement().satisfies((line) -> {
			assertThat(line.getLevel()).isEqualTo(Level.INFO);
			assertThat(line.getFormattedMessage())
				.isEqualTo("Rule 'users' rejected a request on bucket 'alice': retry after 86400000 ms");
			assertThat(line.getKeyValuePairs()).extracting((pair) -> pair.key + "=" + pair.value)
				.containsExactly("tierlimit.rule=users", "tierlimit.key=alice", "tierlimit.shadow=false",
						"tierlimit.cost=1", "tierlimit.retryAfter=PT24H", "tierlimit.ip=127.0.0.1",
						"tierlimit.user=alice", "tierlimit.endpoint=GET /orders/{id}");
		});
		assertThat(this.application.bean(WatchedApplication.class).events).as("also published").hasSize(1);
	}

	@Test
	void clientSuppliedKeyCannotForgeALogLine(CapturedOutput output) {
		start("tierlimit.rules.tenants.rate=1/d", "tierlimit.rules.tenants.key=param('t')", "tierlimit.keys.hash=none",
				"tierlimit.rejections.log=true", "logging.level.io.tierlimit.event=info");
		this.application.get("/orders/1?t=a%0AForged%20line");
		this.application.get("/orders/1?t=a%0AForged%20line");
		Poll.until(() -> output.getOut().contains("Forged"), output::getOut);
		assertThat(output.getOut().lines()).noneMatch((line) -> line.startsWith("Forged"));
		assertThat(output).contains("'a?Forged line'");
	}

	private void start(String... properties) {
		this.application = applications.startOwn(WatchedApplication.class, properties);
	}

	private void get(String user, int times) {
		for (int i = 0; i < times; i++) {
			this.application.getAs(user, "/orders/1");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(TestApplication.class)
	static class WatchedApplication {

		private final List<RateLimitRejectedEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void rejected(RateLimitRejectedEvent event) {
			this.events.add(event);
		}

	}

}

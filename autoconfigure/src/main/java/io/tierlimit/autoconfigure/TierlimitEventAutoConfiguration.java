package io.tierlimit.autoconfigure;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.tierlimit.RateLimitRejectedEvent;
import io.tierlimit.autoconfigure.properties.TierlimitProperties;
import io.tierlimit.event.RejectionEvents;
import io.tierlimit.event.RejectionLog;
import io.tierlimit.event.RejectionThrottle;
import io.tierlimit.store.Ticker;
import org.slf4j.spi.LoggingEventBuilder;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;

/**
 * Configures events and log lines of rejections.
 */
@AutoConfiguration(before = TierlimitAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "tierlimit.enabled", matchIfMissing = true)
@ConditionalOnClass(LoggingEventBuilder.class)
public final class TierlimitEventAutoConfiguration {

	@Bean
	@DependsOn("rateLimitConfiguredRules")
	@ConditionalOnMissingBean
	RejectionEvents rateLimitRejectionEvents(TierlimitProperties properties, Ticker ticker,
			ApplicationEventPublisher publisher) {
		TierlimitProperties.Rejections rejections = properties.rejections();
		List<Consumer<RateLimitRejectedEvent>> receivers = new ArrayList<>();
		if (rejections.log()) {
			receivers.add(new RejectionLog()::write);
		}
		receivers.add(publisher::publishEvent);
		RejectionThrottle throttle = new RejectionThrottle(ticker, rejections.interval());
		return new RejectionEvents(throttle, InstantSource.system(), receivers);
	}

}

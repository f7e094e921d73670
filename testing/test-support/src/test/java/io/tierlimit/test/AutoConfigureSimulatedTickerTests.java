package io.tierlimit.test;

import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with its own ticker, and a configured store.
 */
@SpringBootTest(classes = { Library.class, AutoConfigureSimulatedTickerTests.Own.class },
		properties = "tierlimit.store=redis")
@AutoConfigureSimulatedTicker
@Tag("slow")
class AutoConfigureSimulatedTickerTests {

	@Test
	void simulatedTickerReplacesTheTickerOfTheApplication(@Autowired Ticker ticker, @Autowired SimulatedTicker clock) {
		assertThat(ticker).isSameAs(clock);
	}

	@Test
	void bucketsAreInMemory(@Autowired BucketStore store) {
		assertThat(store).isInstanceOf(InMemoryBucketStore.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class Own {

		@Bean
		Ticker wallClock() {
			return Ticker.system();
		}

	}

}

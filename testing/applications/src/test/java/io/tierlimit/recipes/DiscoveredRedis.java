package io.tierlimit.recipes;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class DiscoveredRedis {

	@Bean
	DataRedisConnectionDetails discovered(@Value("${discovered.port}") int port) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("localhost", port);
			}

		};
	}

}

package io.tierlimit.recipes;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@Configuration(proxyBeanMethods = false)
class RedisConnections {

	@Bean
	@Primary
	LettuceConnectionFactory cacheRedis(@Value("${cache.redis.host}") String host,
			@Value("${cache.redis.port:6379}") int port) {
		return new LettuceConnectionFactory(host, port);
	}

	@Bean
	LettuceConnectionFactory limitsRedis(@Value("${limits.redis.host}") String host,
			@Value("${limits.redis.port:6379}") int port) {
		return new LettuceConnectionFactory(host, port);
	}

}

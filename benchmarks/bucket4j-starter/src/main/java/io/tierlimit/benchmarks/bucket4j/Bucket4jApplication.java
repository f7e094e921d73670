package io.tierlimit.benchmarks.bucket4j;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with the same small page as the other applications, on the last version
 * of Spring Boot that bucket4j's starter supports. The profile {@code four-tiers} limits
 * it.
 */
@SpringBootApplication
@EnableCaching
@RestController
public class Bucket4jApplication {

	/**
	 * Starts the application.
	 * @param arguments properties of Spring Boot
	 */
	public static void main(String[] arguments) {
		SpringApplication.run(Bucket4jApplication.class, arguments);
	}

	@GetMapping("/hello")
	String hello() {
		return "hello";
	}

}

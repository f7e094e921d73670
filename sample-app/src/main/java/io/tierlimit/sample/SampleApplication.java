package io.tierlimit.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * A small shop whose callers are limited by the rules in {@code application.yml}.
 */
@SpringBootApplication
public class SampleApplication {

	/**
	 * Starts the shop.
	 * @param args command-line arguments
	 */
	public static void main(String[] args) {
		SpringApplication.run(SampleApplication.class, args);
	}

}

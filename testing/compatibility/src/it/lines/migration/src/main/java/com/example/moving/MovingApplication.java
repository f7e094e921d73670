package com.example.moving;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;

/**
 * Two libraries that users migrate from limit the paths below {@code /old}, and Tierlimit
 * limits the paths below {@code /new}.
 */
@SpringBootApplication
@EnableCaching
public class MovingApplication {

	public static void main(String[] args) {
		SpringApplication.run(MovingApplication.class, args);
	}

}

package com.example.stand;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class StandApplication {

	public static void main(String[] args) {
		SpringApplication.run(StandApplication.class, args);
	}

	@GetMapping("/cakes")
	String cakes() {
		return "5 cakes";
	}

}

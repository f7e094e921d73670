package com.example.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class ShopApplication {

	public static void main(String[] args) {
		SpringApplication.run(ShopApplication.class, args);
	}

	@GetMapping("/api/products")
	String products() {
		return "Espresso cup";
	}

	@GetMapping("/thread")
	String thread() {
		return Thread.currentThread() + " on Java " + Runtime.version().feature();
	}

}

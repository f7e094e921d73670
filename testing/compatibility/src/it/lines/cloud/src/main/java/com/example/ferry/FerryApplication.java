package com.example.ferry;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class FerryApplication {

	public static void main(String[] args) {
		SpringApplication.run(FerryApplication.class, args);
	}

	@RestController
	static class Piers {

		@GetMapping({ "/north", "/south" })
		String board() {
			return "aboard";
		}

	}

}

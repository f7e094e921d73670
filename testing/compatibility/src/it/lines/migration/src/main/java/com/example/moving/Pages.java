package com.example.moving;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Pages {

	private final OldExports oldExports;

	private final NewExports newExports;

	private final OldQuotes oldQuotes;

	private final NewQuotes newQuotes;

	Pages(OldExports oldExports, NewExports newExports, OldQuotes oldQuotes, NewQuotes newQuotes) {
		this.oldExports = oldExports;
		this.newExports = newExports;
		this.oldQuotes = oldQuotes;
		this.newQuotes = newQuotes;
	}

	@GetMapping({ "/old/search", "/new/search" })
	String search() {
		return "3 books";
	}

	@GetMapping({ "/old/prices", "/new/prices" })
	String prices() {
		return "12.90";
	}

	@PostMapping({ "/old/login", "/new/login" })
	ResponseEntity<Void> login(@RequestParam String password) {
		return ResponseEntity.status("right".equals(password) ? HttpStatus.OK : HttpStatus.UNAUTHORIZED).build();
	}

	@RequestMapping({ "/old/reports", "/new/reports" })
	String reports() {
		return "1 report";
	}

	@GetMapping("/old/exports/{user}")
	String oldExport(@PathVariable String user) {
		return this.oldExports.export(user);
	}

	@GetMapping("/new/exports/{user}")
	String newExport(@PathVariable String user) {
		return this.newExports.export(user);
	}

	@GetMapping("/old/offers/{customer}")
	String oldOffer(@PathVariable String customer) {
		return this.oldQuotes.offer(customer);
	}

	@GetMapping("/new/offers/{customer}")
	String newOffer(@PathVariable String customer) {
		return this.newQuotes.offer(customer);
	}

}

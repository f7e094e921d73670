package io.tierlimit.sample.partner;

import java.net.URI;
import java.util.List;

import io.tierlimit.sample.catalog.Catalog;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/api/imports")
class ImportController {

	private final Partners partners;

	private final Catalog catalog;

	private final PriceImports imports;

	ImportController(Partners partners, Catalog catalog, PriceImports imports) {
		this.partners = partners;
		this.catalog = catalog;
		this.imports = imports;
	}

	/**
	 * If too many permits are already reserved, the limiter's exception becomes a 429.
	 */
	@PostMapping
	ResponseEntity<Void> start(@RequestHeader(name = Partners.KEY, required = false) @Nullable String key,
			@RequestBody List<@Nullable Price> rows) {
		String partner = this.partners.get(key);
		List<Price> prices = rows.stream().map(this::checked).toList();
		if (prices.isEmpty()) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "A price list must have 1 row or more.");
		}
		long id = this.imports.start(partner, prices);
		return ResponseEntity.accepted().location(URI.create("/api/imports/" + id)).build();
	}

	private Price checked(@Nullable Price row) {
		if (row == null || row.price() == null || row.price().signum() < 1
				|| this.catalog.find(row.product()).isEmpty()) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "A row must have a product and its price.");
		}
		return row;
	}

	@GetMapping("/{id}")
	PriceImport.Progress progress(@RequestHeader(name = Partners.KEY, required = false) @Nullable String key,
			@PathVariable long id) {
		return find(key, id).progress();
	}

	@DeleteMapping("/{id}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void cancel(@RequestHeader(name = Partners.KEY, required = false) @Nullable String key, @PathVariable long id) {
		find(key, id).cancel();
	}

	private PriceImport find(@Nullable String key, long id) {
		return this.imports.find(id, this.partners.get(key))
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
	}

}

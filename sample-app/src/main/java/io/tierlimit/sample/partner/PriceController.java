package io.tierlimit.sample.partner;

import java.math.BigDecimal;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PriceController {

	private final Partners partners;

	private final PriceLists prices;

	PriceController(Partners partners, PriceLists prices) {
		this.partners = partners;
		this.prices = prices;
	}

	@GetMapping("/api/prices")
	Map<Long, BigDecimal> prices(@RequestHeader(name = Partners.KEY, required = false) @Nullable String key) {
		return this.prices.of(this.partners.get(key));
	}

}

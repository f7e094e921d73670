package io.tierlimit.sample.catalog;

import java.math.BigDecimal;

/**
 * Something to buy.
 *
 * @param id the number in the catalog
 * @param name what it is
 * @param price for one, in euros
 */
public record Product(long id, String name, BigDecimal price) {

}

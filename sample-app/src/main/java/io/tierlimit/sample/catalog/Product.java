package io.tierlimit.sample.catalog;

import java.math.BigDecimal;

/**
 * A product of the shop.
 *
 * @param id the number in the catalog
 * @param name the name
 * @param price the price of one piece, in euros
 */
public record Product(long id, String name, BigDecimal price) {

}

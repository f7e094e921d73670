/**
 * Where buckets live: the store SPI and the store in memory. A store knows neither rules
 * nor callers; a charge carries what it must know.
 */
@NullMarked
package io.tierlimit.store;

import org.jspecify.annotations.NullMarked;

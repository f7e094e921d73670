/**
 * Internal: waits for permits, and reservations.
 */
@NullMarked
package io.tierlimit.option.wait;

import org.jspecify.annotations.NullMarked;

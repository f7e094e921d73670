/**
 * The protocol of requests whose cost is an estimate until they end.
 */
@NullMarked
package io.tierlimit.explorer.settlement;

import org.jspecify.annotations.NullMarked;

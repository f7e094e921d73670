/**
 * Internal: IP addresses and networks.
 */
@NullMarked
package io.tierlimit.address;

import org.jspecify.annotations.NullMarked;

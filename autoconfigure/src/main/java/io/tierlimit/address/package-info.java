/**
 * Internal: IP addresses and networks, and the client address of a request behind trusted
 * proxies.
 */
@NullMarked
package io.tierlimit.address;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: the address of the client of a request behind trusted proxies.
 */
@NullMarked
package io.tierlimit.web.proxy;

import org.jspecify.annotations.NullMarked;

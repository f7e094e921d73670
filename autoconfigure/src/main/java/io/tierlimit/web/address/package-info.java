/**
 * Internal: the client address of a request, as far as trusted proxies vouch for it.
 */
@NullMarked
package io.tierlimit.web.address;

import org.jspecify.annotations.NullMarked;

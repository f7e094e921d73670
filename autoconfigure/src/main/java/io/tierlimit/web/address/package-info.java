/**
 * Whose address a request counts for: the client's, as far as trusted proxies vouch for
 * it.
 */
@NullMarked
package io.tierlimit.web.address;

import org.jspecify.annotations.NullMarked;

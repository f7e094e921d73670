/**
 * Internal: the client address of a request, behind trusted proxies.
 */
@NullMarked
package io.tierlimit.web.address;

import org.jspecify.annotations.NullMarked;

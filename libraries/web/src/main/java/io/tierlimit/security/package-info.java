/**
 * Internal: the integration with Spring Security: the caller, and the results of
 * authentications.
 */
@NullMarked
package io.tierlimit.security;

import org.jspecify.annotations.NullMarked;

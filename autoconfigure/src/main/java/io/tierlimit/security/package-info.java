/**
 * Internal: what Spring Security contributes: the caller, and the outcome of
 * authentications.
 */
@NullMarked
package io.tierlimit.security;

import org.jspecify.annotations.NullMarked;

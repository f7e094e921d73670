/**
 * What Spring Security knows of a caller.
 */
@NullMarked
package io.tierlimit.security;

import org.jspecify.annotations.NullMarked;

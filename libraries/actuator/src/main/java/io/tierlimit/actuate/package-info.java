/**
 * Internal: the management endpoint and the health of the store.
 */
@NullMarked
package io.tierlimit.actuate;

import org.jspecify.annotations.NullMarked;

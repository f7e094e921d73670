/**
 * Internal: the store in memory.
 */
@NullMarked
package io.tierlimit.store;

import org.jspecify.annotations.NullMarked;

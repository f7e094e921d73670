/**
 * The store in memory.
 */
@NullMarked
package io.tierlimit.store.memory;

import org.jspecify.annotations.NullMarked;

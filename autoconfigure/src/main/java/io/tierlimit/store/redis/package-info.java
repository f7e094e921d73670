/**
 * Internal: the store in Redis, and what happens while it cannot be reached.
 */
@NullMarked
package io.tierlimit.store.redis;

import org.jspecify.annotations.NullMarked;

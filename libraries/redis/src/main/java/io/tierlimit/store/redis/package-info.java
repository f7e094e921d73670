/**
 * The store in Redis, and the decisions while it cannot be reached.
 */
@NullMarked
package io.tierlimit.store.redis;

import org.jspecify.annotations.NullMarked;

/**
 * Buckets in Redis, shared by all instances of an application, and what becomes of
 * requests while it can't be reached.
 */
@NullMarked
package io.tierlimit.store.redis;

import org.jspecify.annotations.NullMarked;

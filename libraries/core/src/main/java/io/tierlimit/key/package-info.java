/**
 * Internal: the facts of a caller, the expressions that read them, and the keys of
 * buckets.
 */
@NullMarked
package io.tierlimit.key;

import org.jspecify.annotations.NullMarked;

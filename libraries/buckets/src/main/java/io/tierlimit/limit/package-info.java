/**
 * The arithmetic of the algorithms: a limit, a bucket's state, a cost and a moment result
 * in a decision. No clock, no map, no log.
 */
@NullMarked
package io.tierlimit.limit;

import org.jspecify.annotations.NullMarked;

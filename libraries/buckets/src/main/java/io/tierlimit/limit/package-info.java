/**
 * The arithmetic of the algorithms: a limit decides on a cost from a bucket's state and
 * the current time. No clock, no map, no log.
 */
@NullMarked
package io.tierlimit.limit;

import org.jspecify.annotations.NullMarked;

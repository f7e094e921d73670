/**
 * Real Redis servers in processes of their own, and a network that breaks.
 */
@NullMarked
package io.tierlimit.redis;

import org.jspecify.annotations.NullMarked;

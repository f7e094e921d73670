/**
 * Real Redis servers in separate processes, and a network with faults.
 */
@NullMarked
package io.tierlimit.redis;

import org.jspecify.annotations.NullMarked;

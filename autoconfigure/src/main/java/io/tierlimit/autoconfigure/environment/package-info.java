/**
 * Internal: finds properties in the environment, the places where they are set, and names
 * that are probably mistakes.
 */
@NullMarked
package io.tierlimit.autoconfigure.environment;

import org.jspecify.annotations.NullMarked;

/**
 * What is told of refusals.
 */
@NullMarked
package io.tierlimit.event;

import org.jspecify.annotations.NullMarked;

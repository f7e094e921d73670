/**
 * A small shop as a sample of an application that limits its callers.
 */
@NullMarked
package io.tierlimit.sample;

import org.jspecify.annotations.NullMarked;

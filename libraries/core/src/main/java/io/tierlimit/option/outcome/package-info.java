/**
 * Internal: charges that the outcome of a request settles.
 */
@NullMarked
package io.tierlimit.option.outcome;

import org.jspecify.annotations.NullMarked;

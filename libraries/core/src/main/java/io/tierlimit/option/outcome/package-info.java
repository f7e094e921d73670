/**
 * Internal: charges that are settled by the outcome of a request.
 */
@NullMarked
package io.tierlimit.option.outcome;

import org.jspecify.annotations.NullMarked;

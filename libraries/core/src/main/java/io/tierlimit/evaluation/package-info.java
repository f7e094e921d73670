/**
 * Internal: evaluates rules for a caller, and manages the transaction of a request.
 */
@NullMarked
package io.tierlimit.evaluation;

import org.jspecify.annotations.NullMarked;

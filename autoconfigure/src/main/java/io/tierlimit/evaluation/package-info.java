/**
 * Internal: the one path from rules and a caller to a verdict, and the life of a request.
 */
@NullMarked
package io.tierlimit.evaluation;

import org.jspecify.annotations.NullMarked;

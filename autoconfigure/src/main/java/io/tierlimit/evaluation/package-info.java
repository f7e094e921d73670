/**
 * The one path from rules and a caller to a verdict.
 */
@NullMarked
package io.tierlimit.evaluation;

import org.jspecify.annotations.NullMarked;

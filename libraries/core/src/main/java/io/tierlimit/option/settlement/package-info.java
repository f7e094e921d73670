/**
 * Internal: actual costs that replace estimates.
 */
@NullMarked
package io.tierlimit.option.settlement;

import org.jspecify.annotations.NullMarked;

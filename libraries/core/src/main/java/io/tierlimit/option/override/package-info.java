/**
 * Internal: overrides of the limits of rules for single callers.
 */
@NullMarked
package io.tierlimit.option.override;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: what applies to one caller instead of the limits of rules.
 */
@NullMarked
package io.tierlimit.option.override;

import org.jspecify.annotations.NullMarked;

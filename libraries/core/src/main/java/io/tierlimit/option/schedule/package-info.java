/**
 * Internal: the times in which a rule applies.
 */
@NullMarked
package io.tierlimit.option.schedule;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: the options of rules, with the changes that they can make to a charge.
 */
@NullMarked
package io.tierlimit.option;

import org.jspecify.annotations.NullMarked;

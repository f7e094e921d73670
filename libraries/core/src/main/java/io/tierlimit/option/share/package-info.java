/**
 * Internal: the share of the keys for which a rule is enforced.
 */
@NullMarked
package io.tierlimit.option.share;

import org.jspecify.annotations.NullMarked;

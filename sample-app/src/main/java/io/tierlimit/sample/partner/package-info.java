/**
 * Who resells what the shop sells.
 */
@NullMarked
package io.tierlimit.sample.partner;

import org.jspecify.annotations.NullMarked;

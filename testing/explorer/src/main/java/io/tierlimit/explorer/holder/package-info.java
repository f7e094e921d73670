/**
 * The protocol of permits that requests hold in Redis until they end.
 */
@NullMarked
package io.tierlimit.explorer.holder;

import org.jspecify.annotations.NullMarked;

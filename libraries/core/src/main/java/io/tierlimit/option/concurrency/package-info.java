/**
 * Internal: permits that requests hold until they end.
 */
@NullMarked
package io.tierlimit.option.concurrency;

import org.jspecify.annotations.NullMarked;

/**
 * What customers buy.
 */
@NullMarked
package io.tierlimit.sample.order;

import org.jspecify.annotations.NullMarked;

/**
 * Who the customers are.
 */
@NullMarked
package io.tierlimit.sample.account;

import org.jspecify.annotations.NullMarked;

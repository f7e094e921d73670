/**
 * Internal: rules and their values, and the outcome of a request.
 */
@NullMarked
package io.tierlimit.rule;

import org.jspecify.annotations.NullMarked;

/**
 * The page of the operator, which calls the management endpoints.
 */
@NullMarked
package io.tierlimit.sample.operator;

import org.jspecify.annotations.NullMarked;

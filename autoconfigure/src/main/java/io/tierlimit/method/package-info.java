/**
 * The annotation that holds calls of a bean's method to rules, and its advisor.
 */
@NullMarked
package io.tierlimit.method;

import org.jspecify.annotations.NullMarked;

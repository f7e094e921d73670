/**
 * Internal: the properties below {@code tierlimit} except for the rules, and the filter
 * orders that follow from them.
 */
@NullMarked
package io.tierlimit.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;

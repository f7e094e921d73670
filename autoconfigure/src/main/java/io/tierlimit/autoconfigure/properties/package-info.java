/**
 * Internal: the properties below {@code tierlimit}, and what they choose.
 */
@NullMarked
package io.tierlimit.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;

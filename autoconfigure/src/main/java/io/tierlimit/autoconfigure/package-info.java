/**
 * The auto-configurations.
 */
@NullMarked
package io.tierlimit.autoconfigure;

import org.jspecify.annotations.NullMarked;

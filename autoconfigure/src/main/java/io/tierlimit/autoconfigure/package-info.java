/**
 * Properties and auto-configuration.
 */
@NullMarked
package io.tierlimit.autoconfigure;

import org.jspecify.annotations.NullMarked;

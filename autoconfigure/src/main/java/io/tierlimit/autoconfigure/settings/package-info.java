/**
 * Internal: checks the properties except for the rules.
 */
@NullMarked
package io.tierlimit.autoconfigure.settings;

import org.jspecify.annotations.NullMarked;

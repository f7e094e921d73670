/**
 * Internal: reloads the rules when the configuration changes.
 */
@NullMarked
package io.tierlimit.autoconfigure.reload;

import org.jspecify.annotations.NullMarked;

/**
 * What reloads the rules when the configuration changes. Internal.
 */
@NullMarked
package io.tierlimit.autoconfigure.reload;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: rates that follow the health of what their rules protect.
 */
@NullMarked
package io.tierlimit.adaptive;

import org.jspecify.annotations.NullMarked;

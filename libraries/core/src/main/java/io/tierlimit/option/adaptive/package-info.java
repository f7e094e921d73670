/**
 * Internal: rates that follow the health of what their rules protect.
 */
@NullMarked
package io.tierlimit.option.adaptive;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: rates that follow the health of the resources that rules protect.
 */
@NullMarked
package io.tierlimit.option.adaptive;

import org.jspecify.annotations.NullMarked;

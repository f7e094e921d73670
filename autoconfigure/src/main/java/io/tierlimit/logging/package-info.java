/**
 * Internal: how warnings are logged that may occur with every request.
 */
@NullMarked
package io.tierlimit.logging;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: logs warnings that may occur with every request.
 */
@NullMarked
package io.tierlimit.logging;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: verdicts as response headers.
 */
@NullMarked
package io.tierlimit.web.header;

import org.jspecify.annotations.NullMarked;

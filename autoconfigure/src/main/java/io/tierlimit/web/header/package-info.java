/**
 * How a verdict is told in header fields.
 */
@NullMarked
package io.tierlimit.web.header;

import org.jspecify.annotations.NullMarked;

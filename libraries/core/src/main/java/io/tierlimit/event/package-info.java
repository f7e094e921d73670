/**
 * Internal: events and log lines of rejections.
 */
@NullMarked
package io.tierlimit.event;

import org.jspecify.annotations.NullMarked;

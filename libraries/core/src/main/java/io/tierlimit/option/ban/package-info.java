/**
 * Internal: bans of callers that are rejected too often.
 */
@NullMarked
package io.tierlimit.option.ban;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: the keys that each rule rejects most often.
 */
@NullMarked
package io.tierlimit.offender;

import org.jspecify.annotations.NullMarked;

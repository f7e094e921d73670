/**
 * Internal: options of rules: what each of them may change, and when it is called.
 */
@NullMarked
package io.tierlimit.option;

import org.jspecify.annotations.NullMarked;

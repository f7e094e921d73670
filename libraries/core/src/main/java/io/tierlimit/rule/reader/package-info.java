/**
 * Internal: rules as strings, in the form that all sources have in common, and the
 * classes that readers use to read them and to report mistakes.
 */
@NullMarked
package io.tierlimit.rule.reader;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: rules in tables.
 */
@NullMarked
package io.tierlimit.rule.jdbc;

import org.jspecify.annotations.NullMarked;

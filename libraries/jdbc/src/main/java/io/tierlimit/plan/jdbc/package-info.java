/**
 * Internal: the plans of users in a table.
 */
@NullMarked
package io.tierlimit.plan.jdbc;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: rejections in a table of the application's database.
 */
@NullMarked
package io.tierlimit.audit.jdbc;

import org.jspecify.annotations.NullMarked;

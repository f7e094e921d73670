/**
 * Internal: the database of the application, and the scripts of Tierlimit's tables.
 */
@NullMarked
package io.tierlimit.jdbc;

import org.jspecify.annotations.NullMarked;

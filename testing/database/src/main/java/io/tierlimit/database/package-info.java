/**
 * Real databases for tests: servers in separate processes, and H2 in memory.
 */
@NullMarked
package io.tierlimit.database;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: what startup logs about rules that are valid.
 * {@link io.tierlimit.autoconfigure.report.StartupReport} is the entry.
 */
@NullMarked
package io.tierlimit.autoconfigure.report;

import org.jspecify.annotations.NullMarked;

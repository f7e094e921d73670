/**
 * Internal: the summary and the warnings that startup logs about valid rules.
 * {@link io.tierlimit.autoconfigure.report.StartupReport} is the entry.
 */
@NullMarked
package io.tierlimit.autoconfigure.report;

import org.jspecify.annotations.NullMarked;

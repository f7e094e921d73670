/**
 * Benchmarks of the filter, without a server.
 */
@NullMarked
package io.tierlimit.benchmarks.web;

import org.jspecify.annotations.NullMarked;

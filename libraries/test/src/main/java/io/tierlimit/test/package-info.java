/**
 * Support for tests of applications with Tierlimit: a simulated clock, assertions about
 * responses, and a reset of all buckets before each test.
 */
@NullMarked
package io.tierlimit.test;

import org.jspecify.annotations.NullMarked;

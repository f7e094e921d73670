/**
 * For tests of applications that use Tierlimit: a simulated clock, assertions about
 * responses, and full buckets at the start of each test.
 */
@NullMarked
package io.tierlimit.test;

import org.jspecify.annotations.NullMarked;

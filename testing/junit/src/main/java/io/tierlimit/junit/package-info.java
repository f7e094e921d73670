/**
 * Classes that the tests of all modules share.
 */
@NullMarked
package io.tierlimit.junit;

import org.jspecify.annotations.NullMarked;

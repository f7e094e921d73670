/**
 * The browser of the tests of pages.
 */
@NullMarked
package io.tierlimit.sample.browser;

import org.jspecify.annotations.NullMarked;

/**
 * The servlet filter: matches rules, asks for a verdict, and tells it.
 */
@NullMarked
package io.tierlimit.web;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: the servlet filter: finds the rules that apply, and writes headers and
 * rejections.
 */
@NullMarked
package io.tierlimit.web;

import org.jspecify.annotations.NullMarked;

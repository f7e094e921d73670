/**
 * Internal: the servlet filter, which finds the rules that apply to a request, and writes
 * headers and rejections.
 */
@NullMarked
package io.tierlimit.web;

import org.jspecify.annotations.NullMarked;

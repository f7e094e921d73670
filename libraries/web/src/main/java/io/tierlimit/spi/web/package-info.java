/**
 * The interface that web applications can implement: the handler of rejections.
 */
@NullMarked
package io.tierlimit.spi.web;

import org.jspecify.annotations.NullMarked;

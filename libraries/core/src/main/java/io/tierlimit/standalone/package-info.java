/**
 * Internal: the limiter of a program without Spring Boot.
 */
@NullMarked
package io.tierlimit.standalone;

import org.jspecify.annotations.NullMarked;

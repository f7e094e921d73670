/**
 * Internal: the integration with Spring MVC: the handler of a request, and its
 * exceptions.
 */
@NullMarked
package io.tierlimit.web.mvc;

import org.jspecify.annotations.NullMarked;

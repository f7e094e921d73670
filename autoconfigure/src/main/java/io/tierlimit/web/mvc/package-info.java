/**
 * What Spring MVC knows of a request before it is served.
 */
@NullMarked
package io.tierlimit.web.mvc;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: the limits of operations in OpenAPI documents.
 */
@NullMarked
package io.tierlimit.web.openapi;

import org.jspecify.annotations.NullMarked;

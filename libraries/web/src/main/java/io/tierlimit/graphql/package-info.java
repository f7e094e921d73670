/**
 * Internal: rejections as errors of Spring GraphQL.
 */
@NullMarked
package io.tierlimit.graphql;

import org.jspecify.annotations.NullMarked;

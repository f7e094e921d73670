/**
 * Rejections of Spring GraphQL's data fetchers.
 */
@NullMarked
package io.tierlimit.graphql;

import org.jspecify.annotations.NullMarked;

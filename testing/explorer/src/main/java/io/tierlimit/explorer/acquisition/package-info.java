/**
 * The acquisition of permits from several slots of a Redis Cluster.
 */
@NullMarked
package io.tierlimit.explorer.acquisition;

import org.jspecify.annotations.NullMarked;

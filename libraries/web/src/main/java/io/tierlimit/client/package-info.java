/**
 * Limits for calls to other HTTP services: an interceptor for Spring's HTTP clients.
 */
@NullMarked
package io.tierlimit.client;

import org.jspecify.annotations.NullMarked;

/**
 * Internal: tasks that run next to the requests.
 */
@NullMarked
package io.tierlimit.task;

import org.jspecify.annotations.NullMarked;

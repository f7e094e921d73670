/**
 * Internal: tasks that run beside the requests.
 */
@NullMarked
package io.tierlimit.task;

import org.jspecify.annotations.NullMarked;

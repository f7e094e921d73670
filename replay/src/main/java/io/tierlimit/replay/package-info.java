/**
 * Replays access logs under the rules of a configuration, with the same filter and the
 * same arithmetic as a running application, and with a clock that follows the log.
 */
@NullMarked
package io.tierlimit.replay;

import org.jspecify.annotations.NullMarked;

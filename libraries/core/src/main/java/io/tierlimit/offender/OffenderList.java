package io.tierlimit.offender;

import java.time.Instant;
import java.util.List;

/**
 * The keys that a rule has rejected most often.
 *
 * @param since the time at which counting began
 * @param rejections the number of rejections of all keys since then
 * @param offenders the keys, in descending order of their rejections
 */
public record OffenderList(Instant since, long rejections, List<Offender> offenders) {

}

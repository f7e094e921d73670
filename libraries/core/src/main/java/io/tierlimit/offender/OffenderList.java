package io.tierlimit.offender;

import java.time.Instant;
import java.util.List;

/**
 * The keys that a rule has rejected most often.
 *
 * @param since when counting began
 * @param rejections the number of rejections of all keys since then
 * @param offenders the keys, those with the most rejections first
 */
public record OffenderList(Instant since, long rejections, List<Offender> offenders) {

}

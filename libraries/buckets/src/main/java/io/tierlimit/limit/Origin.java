package io.tierlimit.limit;

/**
 * What has written the numbers of a {@link BucketState}: the limit, or if that is not
 * known, its algorithm and rate.
 */
sealed interface Origin permits Limit, RateOrigin {

	Algorithm algorithm();

}

package io.tierlimit.limit;

/**
 * The limit that last updated a bucket, or only its algorithm and rate if the limit is
 * unknown.
 */
sealed interface Origin permits Limit, RateOrigin {

	Algorithm algorithm();

}

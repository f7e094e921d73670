package io.tierlimit.option;

/**
 * A charge at the end of its request.
 *
 * @param key the key of the bucket
 * @param own whether the bucket belongs to a single key of the rule. False if the client
 * address replaces a part of the key, or if the bucket is the overflow bucket for all
 * keys without their own bucket. Such a bucket must not be reset
 * @param named whether the rule's paths select the handler of the request. If not,
 * another handler may serve the same path
 */
public record EndedCharge(String key, boolean own, boolean named) {

}

package io.tierlimit.option;

/**
 * A charge at the end of its request.
 *
 * @param key the key of the bucket
 * @param own whether the bucket belongs to a single key of the rule. It does not if the
 * address replaces a part of the key, or if the bucket is one for all keys without a
 * bucket of their own: such a bucket must not be reset
 * @param named whether the rule's paths name the handler of the request. Otherwise,
 * another handler may serve the same path
 */
public record SettledCharge(String key, boolean own, boolean named) {

}

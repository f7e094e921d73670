package io.tierlimit.store.redis;

import java.util.List;

/**
 * What the script is asked, in the order that {@code buckets.lua} tells.
 *
 * @param keys the names of buckets
 * @param arguments the operation, and a charge for each bucket
 */
record ScriptCall(List<byte[]> keys, List<byte[]> arguments) {

}

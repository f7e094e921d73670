package io.tierlimit.store;

import java.util.List;

import io.tierlimit.limit.Decision;

/**
 * What a store says to a request's charges.
 *
 * @param admitted whether every enforced charge was allowed, and all were taken
 * @param decisions one a charge, in the order of the charges; if the request was not
 * admitted, whether each bucket alone would have allowed it, with what is left in it
 * @param charges the charges as they were decided, in their order; one is on another key
 * where the store had no room for a bucket of its own. These are to be given back
 */
public record Answer(boolean admitted, List<Decision> decisions, List<Charge> charges) {

}

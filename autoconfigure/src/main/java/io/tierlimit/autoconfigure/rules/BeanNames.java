package io.tierlimit.autoconfigure.rules;

import java.util.Collection;

/**
 * The names of the application's beans that rules can refer to.
 *
 * @param keyResolvers the names of the KeyResolver beans
 * @param overloadSignals the names of the OverloadSignal beans
 */
record BeanNames(Collection<String> keyResolvers, Collection<String> overloadSignals) {

}

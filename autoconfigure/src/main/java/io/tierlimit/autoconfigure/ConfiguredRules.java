package io.tierlimit.autoconfigure;

import io.tierlimit.rule.RuleSet;

/**
 * The rules that the configuration holds, read and checked even where a bean of the
 * application's replaces them.
 *
 * @param rules the rules
 */
record ConfiguredRules(RuleSet rules) {

}

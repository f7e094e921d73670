/**
 * Internal: reads and checks the rules and all other properties, and reports every
 * mistake with its place. {@link io.tierlimit.autoconfigure.rules.RulesConfiguration} is
 * the entry.
 */
@NullMarked
package io.tierlimit.autoconfigure.rules;

import org.jspecify.annotations.NullMarked;

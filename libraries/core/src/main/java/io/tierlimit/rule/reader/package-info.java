/**
 * Internal: the textual form of rules, which all sources share, and what readers need to
 * read it and to report mistakes.
 */
@NullMarked
package io.tierlimit.rule.reader;

import org.jspecify.annotations.NullMarked;

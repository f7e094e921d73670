package io.tierlimit.web.header;

/**
 * A header that describes limits.
 *
 * @param name the name
 * @param numeric whether the value is a whole number; otherwise it is a structured field
 * @param description the meaning of the value, for the documentation of an API
 */
public record LimitHeader(String name, boolean numeric, String description) {

}

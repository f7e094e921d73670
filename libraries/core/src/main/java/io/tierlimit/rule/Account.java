package io.tierlimit.rule;

/**
 * An account that has authenticated within a web request.
 *
 * @param name the name of the authentication
 * @param user the name by which Tierlimit identifies the user: the same name, unless
 * {@code tierlimit.user.key} derives another one
 */
public record Account(String name, String user) {

}

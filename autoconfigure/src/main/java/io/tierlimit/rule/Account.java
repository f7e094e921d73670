package io.tierlimit.rule;

/**
 * An account that has authenticated within a web request.
 *
 * @param name the name of the authentication
 * @param user the name by which Tierlimit identifies the user: the same, unless
 * {@code tierlimit.user.key} makes another one of the authentication
 */
public record Account(String name, String user) {

}

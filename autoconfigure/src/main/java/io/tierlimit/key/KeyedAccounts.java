package io.tierlimit.key;

import java.util.ArrayList;
import java.util.List;

import io.tierlimit.rule.Account;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * Whose bucket a key identifies, as far as a successful authentication may reset it: an
 * account's, if every part of the key that may name an account is the name of that
 * account. The address, the endpoint and the plan name none. Any other part, such as a
 * tenant, belongs to several accounts, none of which may reset the bucket of another.
 * <p>
 * A key expression may spell the name in another way than the account does:
 * {@code param('username')?.trim()?.toLowerCase()} makes {@code fred} of {@code Fred}. So
 * the value is also compared with what the expression makes of the account's own name, if
 * no more than the case of its letters changes. An expression that keeps the case keeps
 * {@code Fred} and {@code fred} apart here, too.
 */
final class KeyedAccounts {

	private final List<KeyPart> parts;

	private final @Nullable CallerExpression expression;

	private final KeyHash hash;

	/**
	 * Creates the accounts of a rule's keys.
	 * @param parts the parts of the keys
	 * @param expression the expression behind the last of the parts that are resolved, or
	 * {@code null} if there is none
	 * @param hash hides parts of keys
	 */
	KeyedAccounts(List<KeyPart> parts, @Nullable CallerExpression expression, KeyHash hash) {
		this.parts = parts;
		this.expression = expression;
		this.hash = hash;
	}

	/** Whether the bucket of a key belongs to an account. */
	boolean isOf(Account account, String key) {
		List<String> found = KeyBuilder.parts(key);
		boolean named = false;
		if (found.size() != this.parts.size()) {
			return false;
		}
		for (int i = 0; i < found.size(); i++) {
			KeyPart part = this.parts.get(i);
			if (part.role().mayNameAccount()) {
				named = true;
				if (!isNamed(found.get(i), part, account)) {
					return false;
				}
			}
		}
		return named;
	}

	private boolean isNamed(String found, KeyPart part, Account account) {
		List<String> names = (part.role() == KeyPart.Role.USER) ? List.of(account.user()) : names(part, account);
		for (String name : names) {
			KeyBuilder key = new KeyBuilder(this.hash);
			part.addTo(key, name);
			if (key.toString().equals(found)) {
				return true;
			}
		}
		return false;
	}

	private List<String> names(KeyPart part, Account account) {
		List<String> names = new ArrayList<>(List.of(account.name()));
		String respelled = (part == lastResolved()) ? respelled(account) : null;
		if (respelled != null && (respelled.equals(account.user()) || differByCaseOnly(respelled, account.name()))) {
			names.add(respelled);
		}
		return names;
	}

	private @Nullable KeyPart lastResolved() {
		KeyPart last = null;
		for (KeyPart part : this.parts) {
			last = (part.role() == KeyPart.Role.RESOLVED) ? part : last;
		}
		return last;
	}

	private @Nullable String respelled(Account account) {
		if (this.expression == null) {
			return null;
		}
		try {
			return this.expression.evaluateKey(new NamedCaller(account));
		}
		catch (RuntimeException ex) {
			// It reads something else than a name.
			return null;
		}
	}

	/**
	 * Whether two names have the same letters, each of which has one lower and one upper
	 * case: the Kelvin sign becomes a k, but no k becomes a Kelvin sign, so these are two
	 * letters.
	 */
	private static boolean differByCaseOnly(String one, String other) {
		if (one.length() != other.length()) {
			return false;
		}
		for (int i = 0; i < one.length(); i++) {
			char a = one.charAt(i);
			char b = other.charAt(i);
			if (a != b && !isPair(a, b) && !isPair(b, a)) {
				return false;
			}
		}
		return true;
	}

	private static boolean isPair(char lower, char upper) {
		return Character.toUpperCase(lower) == upper && Character.toLowerCase(upper) == lower;
	}

	/**
	 * A caller who names an account wherever an account may be named.
	 */
	private record NamedCaller(Account account) implements Caller {

		@Override
		public String user() {
			return this.account.user();
		}

		@Override
		public String header(String name) {
			return this.account.name();
		}

		@Override
		public String param(String name) {
			return this.account.name();
		}

		@Override
		public Object argument(String name) {
			return this.account.name();
		}

	}

}

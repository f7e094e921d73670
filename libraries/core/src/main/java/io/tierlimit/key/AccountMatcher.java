package io.tierlimit.key;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.tierlimit.rule.Account;
import io.tierlimit.spi.Caller;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether a bucket belongs to an account, so that a successful authentication
 * may reset the bucket. The bucket belongs to the account if every part of the key that
 * may name an account is the name of this account. The address, the endpoint and the plan
 * do not name an account. If another part has a different value, such as a tenant, other
 * accounts may share the bucket, and one account must not reset it for the others.
 * <p>
 * A key expression may change the name: {@code param('username')?.trim()?.toLowerCase()}
 * converts {@code Fred} to {@code fred}. For this reason, the part is also compared with
 * the value of the expression for the account's name, if the expression changes only the
 * case of letters. If an expression preserves the case, {@code Fred} and {@code fred} are
 * different accounts.
 *
 * @param parts the parts of the keys
 * @param expression the expression of the last part with the role {@code RESOLVED}, or
 * {@code null} if there is none
 * @param hash hashes the parts of keys
 */
record AccountMatcher(List<KeyPart> parts, @Nullable CallerExpression expression, KeyHash hash) {

	/** Whether the bucket of a key belongs to an account. */
	boolean belongsTo(Account account, String key) {
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
		return names.stream().anyMatch((name) -> {
			KeyBuilder key = new KeyBuilder(this.hash);
			part.addTo(key, name);
			return key.toString().equals(found);
		});
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
		return this.parts.stream()
			.filter((part) -> part.role() == KeyPart.Role.RESOLVED)
			.reduce((earlier, later) -> later)
			.orElse(null);
	}

	private @Nullable String respelled(Account account) {
		if (this.expression == null) {
			return null;
		}
		try {
			return this.expression.evaluateKey(new NamedCaller(account));
		}
		catch (RuntimeException ex) {
			// The expression reads values that are not names.
			return null;
		}
	}

	/**
	 * Whether two names differ only by the case of letters. Two letters are a pair if
	 * each converts to the other: the Kelvin sign becomes a k in lower case, but a k
	 * never becomes a Kelvin sign, so they are not a pair.
	 */
	private static boolean differByCaseOnly(String one, String other) {
		return one.length() == other.length() && IntStream.range(0, one.length()).allMatch((i) -> {
			char a = one.charAt(i);
			char b = other.charAt(i);
			return a == b || isPair(a, b) || isPair(b, a);
		});
	}

	private static boolean isPair(char lower, char upper) {
		return Character.toUpperCase(lower) == upper && Character.toLowerCase(upper) == lower;
	}

	/**
	 * A caller whose user, headers, parameters, attributes and arguments are the name of
	 * an account.
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
		public Object requestAttribute(String name) {
			return this.account.name();
		}

		@Override
		public Object sessionAttribute(String name) {
			return this.account.name();
		}

		@Override
		public Object argument(String name) {
			return this.account.name();
		}

	}

}

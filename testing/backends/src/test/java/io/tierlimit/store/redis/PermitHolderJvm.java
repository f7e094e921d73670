package io.tierlimit.store.redis;

import io.tierlimit.store.Charge;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A JVM that holds three permits until it is killed.
 */
final class PermitHolderJvm {

	/** The line that is printed once the permits are held. */
	static final String HELD = "held";

	private PermitHolderJvm() {
	}

	/**
	 * Holds the permits.
	 * @param args the port of the server
	 */
	public static void main(String[] args) throws Exception {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("localhost", Integer.parseInt(args[0]));
		try (Instance instance = new Instance(factory, Instance.COUNTED).connected()) {
			boolean held = instance.acquire(new Charge(HeldPermitsTests.KEY, HeldPermitsTests.FIVE, 3)).admitted();
			System.out.println(held ? HELD : "rejected");
			System.in.read();
		}
	}

}

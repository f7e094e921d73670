package io.tierlimit.store.redis;

import io.tierlimit.junit.Poll;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Causes the message of a membership that is not renewed.
 */
public final class MembershipMessages {

	private MembershipMessages() {
	}

	/** Renews a membership before and after the beginning of an outage. */
	public static void cause(RedisConnectionFactory connections, Runnable outage) {
		try (ScriptClient client = ScriptClientFactory.create(connections, TestConnections.TIMEOUT)) {
			InstanceShare share = new InstanceShare(
					ScriptSession.inBackground(client, InstanceShare.script(), System::nanoTime),
					new RedisKeys("messages").members(), System::nanoTime);
			Poll.until(() -> {
				share.renew();
				return share.current().instances() != null;
			}, () -> String.valueOf(share.current()));
			outage.run();
			share.renew();
		}
	}

}

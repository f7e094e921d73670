package io.tierlimit.store.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.tierlimit.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the sizes in docs/redis.md with Redis.
 */
@Tag("slow")
class BucketSizeTests {

	@Test
	void bucketHasTheDocumentedSize() throws IOException {
		String page = Files.readString(Path.of("../../docs/redis.md")).replaceAll("\\s+", " ");
		try (RedisServer server = RedisServer.start(); Instance instance = Instance.on(server.port())) {
			instance.acquire(Instance.ten("per-user"));
			String key = server.command("KEYS", "tierlimit:per-user:*").strip();
			assertThat(page).contains("a value of " + server.command("STRLEN", key).strip() + " bytes");
			assertThat(Integer.parseInt(server.command("MEMORY", "USAGE", key).strip())).isBetween(150, 200);
			assertThat(page).contains("about 200 bytes in Redis");
		}
	}

}

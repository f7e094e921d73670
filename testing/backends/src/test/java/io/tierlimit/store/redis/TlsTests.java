package io.tierlimit.store.redis;

import java.io.IOException;
import java.nio.file.Path;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.tierlimit.redis.RedisServer;
import io.tierlimit.redis.TlsEnd;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.Charge;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisBucketStore} over TLS, as configured in the application's
 * connection factory.
 */
@Tag("slow")
class TlsTests {

	private final Charge charge = Instance.ten("tls");

	private static RedisServer server;

	private static TlsEnd tls;

	@BeforeAll
	static void start(@TempDir Path directory) throws IOException, InterruptedException {
		server = RedisServer.start();
		tls = new TlsEnd(directory, server.port());
	}

	@AfterAll
	static void stop() throws IOException {
		tls.close();
		server.close();
	}

	@Test
	void trustedCertificateIsAccepted() {
		SslOptions trust = SslOptions.builder().jdkSslProvider().truststore(tls.trusted().toFile(), "secret").build();
		try (Instance instance = instance(trust, SslVerifyMode.FULL)) {
			assertThat(instance.connected().request(11, this.charge)).isEqualTo(Tally.stored(11, 10));
		}
	}

	@Test
	void otherCertificateIsAcceptedOnlyIfTheFactoryDisablesVerification() {
		try (Instance instance = instance(SslOptions.create(), SslVerifyMode.FULL)) {
			assertThat(instance.acquire(Instance.ten("other")).source()).isEqualTo(AcquireResult.Source.FALLBACK);
		}
		try (Instance instance = instance(SslOptions.create(), SslVerifyMode.NONE)) {
			assertThat(instance.connected().acquire(Instance.ten("other")).source())
				.isEqualTo(AcquireResult.Source.STORE);
		}
	}

	private static Instance instance(SslOptions options, SslVerifyMode verify) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.clientOptions(ClientOptions.builder().sslOptions(options).build())
			.useSsl()
			.verifyPeer(verify)
			.build();
		return new Instance(
				new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", tls.port()), client),
				Instance.SETTINGS);
	}

}

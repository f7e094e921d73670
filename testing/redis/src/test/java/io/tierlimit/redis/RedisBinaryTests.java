package io.tierlimit.redis;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RedisBinaryTests {

	private final String before = System.getProperty(RedisBinary.OVERRIDE);

	@AfterEach
	void restore() {
		if (this.before == null) {
			System.clearProperty(RedisBinary.OVERRIDE);
		}
		else {
			System.setProperty(RedisBinary.OVERRIDE, this.before);
		}
	}

	@Test
	void isOneExecutableFile() {
		assertThat(RedisBinary.path()).isExecutable().isEqualTo(RedisBinary.path());
	}

	@ParameterizedTest
	@CsvSource({ "Linux,amd64", "Linux,aarch64", "Linux,i386", "Mac OS X,x86_64", "Mac OS X,aarch64" })
	void artifactContainsTheBinary(String system, String architecture) {
		assertThat(RedisBinary.class.getResource(RedisBinary.resource(system, architecture))).isNotNull();
	}

	@Test
	void unsupportedSystemsGetAnInstallHint() {
		assertThatIllegalStateException().isThrownBy(() -> RedisBinary.resource("Linux", "riscv64"))
			.withMessageContainingAll("Linux on riscv64", "Install Redis or Valkey", "TIERLIMIT_TEST_REDIS");
	}

	@Test
	void anotherBinaryCanBeConfigured() {
		Path java = Path.of(System.getProperty("java.home"), "bin", "java");
		System.setProperty(RedisBinary.OVERRIDE, java.toString());
		assertThat(RedisBinary.path()).isEqualTo(java);
	}

	@Test
	void configuredBinaryMustBeExecutable() {
		System.setProperty(RedisBinary.OVERRIDE, "/nowhere/redis-server");
		assertThatIllegalStateException().isThrownBy(RedisBinary::path)
			.withMessageContainingAll("'/nowhere/redis-server'", "not an executable file");
	}

}

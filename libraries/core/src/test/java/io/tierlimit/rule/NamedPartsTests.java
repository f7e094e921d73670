package io.tierlimit.rule;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamedPartsTests {

	@Test
	void valueMayContainAnyCharacters() {
		String value = "user: a|b,\n\\:";
		assertThat(NamedParts.read(List.of(NamedParts.write("user", value)), List.of("user")))
			.isEqualTo(Map.of("user", value));
		assertThat(NamedParts.read(List.of("user:"), List.of("user"))).isEqualTo(Map.of("user", ""));
	}

	@Test
	void partsAreInAnyOrder() {
		assertThat(NamedParts.read(List.of("user:alice", "ip:::1"), List.of("ip", "user")))
			.isEqualTo(Map.of("user", "alice", "ip", "::1"));
		assertThat(NamedParts.read(List.of(), List.of())).isEmpty();
	}

	@Test
	void longestNameApplies() {
		assertThat(NamedParts.read(List.of("a:b:c", "a:d"), List.of("a", "a:b")))
			.isEqualTo(Map.of("a:b", "c", "a", "d"));
	}

	@Test
	void eachNameOccursExactlyOnce() {
		List<String> names = List.of("ip", "user");
		assertThat(NamedParts.read(List.of("user:a"), names)).isNull();
		assertThat(NamedParts.read(List.of("user:a", "::1"), names)).isNull();
		assertThat(NamedParts.read(List.of("user:a", "user:a"), names)).isNull();
		assertThat(NamedParts.read(List.of("user:a", "ip:::1", "key:b"), names)).isNull();
		assertThat(NamedParts.read(List.of("User:a", "ip:::1"), names)).isNull();
		assertThat(NamedParts.read(List.of("user:a"), List.of())).isNull();
	}

}

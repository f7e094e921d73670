package io.tierlimit.key;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class KeyBuilderTests {

	private static final String[] PIECES = { "|", "\\", "(", ")", "(none)", "(ip)", "a", "", " ", "\n", "🙂", "{", ":",
			"\uD800", "\uD801", "(hash)", "f5b9b043aec76850e1817fc5bf7c1179" };

	private KeyHash hash = new KeyHash(KeyHashing.NONE, null);

	@Test
	void partsAreSeparated() {
		assertThat(builder().addFact("alice@example.org")).hasToString("alice@example.org");
		assertThat(builder().addFact("alice").addFact("GET /a").addNone()).hasToString("alice|GET /a|(none)");
		assertThat(builder().addAddress("192.0.2.1")).hasToString("(ip)192.0.2.1");
	}

	@Test
	void addressInsteadOfAPartIsFound() {
		assertThat(KeyBuilder.hasStandIn(builder().addAddress("192.0.2.1").toString())).isTrue();
		assertThat(KeyBuilder.hasStandIn(builder().addFact("a\\").addAddress("192.0.2.1").addConstant("b").toString()))
			.isTrue();
		assertThat(
				KeyBuilder.hasStandIn(builder().addFact("(ip)a").addFact("b|(ip)").addSensitive("\\|(ip)").toString()))
			.isFalse();
		assertThat(KeyBuilder.hasStandIn(builder().addNone().addFact("192.0.2.1").addFact("").toString())).isFalse();
	}

	@Test
	void hiddenPartsAreHashed() {
		this.hash = new KeyHash(KeyHashing.SENSITIVE, null);
		assertThat(builder().addFact("alice").addSensitive("alice").addConstant("GET /{id}"))
			.hasToString("alice|(hash)f5b9b043aec76850e1817fc5bf7c1179|GET /{id}");
		this.hash = new KeyHash(KeyHashing.ALL, null);
		assertThat(builder().addFact("alice").addAddress("alice").addConstant("GET /{id}"))
			.hasToString("(hash)f5b9b043aec76850e1817fc5bf7c1179|(ip)(hash)f5b9b043aec76850e1817fc5bf7c1179|GET /{id}");
	}

	@ParameterizedTest
	@EnumSource
	void differentPartsNeverHaveTheSameKey(KeyHashing hashing) {
		this.hash = new KeyHash(hashing, null);
		Random random = new Random(7);
		for (int count = 1; count <= 4; count++) {
			Map<String, List<String>> seen = new HashMap<>();
			for (int i = 0; i < 20_000; i++) {
				List<String> parts = new ArrayList<>();
				KeyBuilder key = builder();
				for (int part = 0; part < count; part++) {
					addRandom(random, parts, key);
				}
				assertThat(seen.computeIfAbsent(key.toString(), (absent) -> parts)).isEqualTo(parts);
			}
		}
	}

	private KeyBuilder builder() {
		return new KeyBuilder(this.hash);
	}

	private static void addRandom(Random random, List<String> parts, KeyBuilder key) {
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(4); i > 0; i--) {
			text.append(PIECES[random.nextInt(PIECES.length)]);
		}
		switch (random.nextInt(4)) {
			case 0 -> {
				key.addNone();
				parts.add("none");
			}
			case 1 -> {
				key.addConstant(text.toString());
				parts.add("part " + text);
			}
			case 2 -> {
				key.addAddress(text.toString());
				parts.add("address " + text);
			}
			default -> {
				key.addFact(text.toString());
				parts.add("part " + text);
			}
		}
	}

}

package io.tierlimit.key;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyPartsTests {

	private static final String[] PIECES = { "|", "\\", "(", ")", "(none)", "(ip)", "a", "", " ", "\n", "🙂", "{",
			":" };

	@Test
	void onePartIsItsOwnKey() {
		assertThat(new KeyParts().add("alice@example.org")).hasToString("alice@example.org");
	}

	@Test
	void partsAreSeparated() {
		assertThat(new KeyParts().add("alice").add("GET /a").addNone()).hasToString("alice|GET /a|(none)");
	}

	@Test
	void addressInPlaceOfAUserIsNoUsersKey() {
		assertThat(new KeyParts().addAddress("192.0.2.1").toString()).isEqualTo("(ip)192.0.2.1")
			.isNotEqualTo(new KeyParts().add("(ip)192.0.2.1").toString())
			.isNotEqualTo(new KeyParts().add("192.0.2.1").toString());
	}

	@Test
	void differentPartsNeverMakeTheSameKey() {
		Random random = new Random(7);
		for (int count = 1; count <= 4; count++) {
			Map<String, List<String>> seen = new HashMap<>();
			for (int i = 0; i < 50_000; i++) {
				List<String> parts = new ArrayList<>();
				KeyParts key = new KeyParts();
				for (int part = 0; part < count; part++) {
					addRandom(random, parts, key);
				}
				assertThat(seen.computeIfAbsent(key.toString(), (absent) -> parts)).isEqualTo(parts);
			}
		}
	}

	private static void addRandom(Random random, List<String> parts, KeyParts key) {
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(4); i > 0; i--) {
			text.append(PIECES[random.nextInt(PIECES.length)]);
		}
		switch (random.nextInt(3)) {
			case 0 -> {
				key.addNone();
				parts.add("none");
			}
			case 1 -> {
				key.addAddress(text.toString());
				parts.add("address " + text);
			}
			default -> {
				key.add(text.toString());
				parts.add("part " + text);
			}
		}
	}

}

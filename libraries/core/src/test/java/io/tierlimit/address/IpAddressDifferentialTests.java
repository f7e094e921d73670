package io.tierlimit.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IpAddressDifferentialTests {

	private static final String ALPHABET = "0123456789abcdefABCDEF::::....%g -";

	@Test
	void readsAndWritesEveryNotationLikeTheJdk() throws UnknownHostException {
		Random random = new Random(11);
		for (int i = 0; i < 100_000; i++) {
			byte[] bytes = bytes(random);
			String literal = AddressLiterals.spell(bytes, random);
			InetAddress expected = InetAddress.getByAddress(bytes);
			IpAddress address = Objects.requireNonNull(IpAddress.parse(literal), literal);
			assertThat(address).as(literal).isEqualTo(of(expected)).hasToString(AddressLiterals.canonical(expected));
			assertThat(IpAddress.parse(address + (address.isIpv4() ? "" : "%" + i))).as(literal).isEqualTo(address);
		}
	}

	@Test
	void readsAStringWithMistakesOnlyIfItIsStillALiteral() {
		Random random = new Random(12);
		int literals = 0;
		for (int i = 0; i < 100_000; i++) {
			StringBuilder text = new StringBuilder(AddressLiterals.spell(bytes(random), random));
			for (int mistakes = 1 + random.nextInt(2); mistakes > 0; mistakes--) {
				mistake(text, random);
			}
			InetAddress expected = AddressLiterals.read(text.toString());
			literals += (expected != null) ? 1 : 0;
			assertThat(IpAddress.parse(text.toString())).as(text.toString()).isEqualTo(of(expected));
		}
		assertThat(literals).isBetween(10_000, 90_000);
	}

	private static void mistake(StringBuilder text, Random random) {
		int at = random.nextInt(text.length());
		String letter = String.valueOf(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
		switch (random.nextInt(3)) {
			case 0 -> text.insert(at, letter);
			case 1 -> text.replace(at, at + 1, letter);
			default -> text.replace(at, at + 1, (text.length() > 1) ? "" : letter);
		}
	}

	/**
	 * Returns random groups, in which zero groups and the bits of IPv4-mapped addresses
	 * are much more frequent than by chance.
	 */
	private static byte[] bytes(Random random) {
		byte[] bytes = new byte[(random.nextInt(4) == 0) ? 4 : 16];
		random.nextBytes(bytes);
		if (bytes.length == 16) {
			int likelihood = random.nextInt(11);
			for (int i = 0; i < 16; i += 2) {
				if (random.nextInt(10) < likelihood) {
					bytes[i] = 0;
					bytes[i + 1] = (byte) random.nextInt(2);
				}
				if (random.nextInt(10) < likelihood) {
					bytes[i + 1] = 0;
				}
			}
			if (random.nextInt(8) == 0) {
				System.arraycopy(new byte[] { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1 }, 0, bytes, 0, 12);
			}
		}
		return bytes;
	}

	private static @Nullable IpAddress of(@Nullable InetAddress address) {
		if (address == null) {
			return null;
		}
		ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
		return (bytes.remaining() == 4) ? IpAddress.ofIpv4(Integer.toUnsignedLong(bytes.getInt()))
				: new IpAddress(bytes.getLong(), bytes.getLong());
	}

}

package io.tierlimit.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The text of the script that Redis runs, and the digest by which Redis knows it.
 *
 * @param text the script in Lua
 * @param digest its SHA-1 in hexadecimal digits
 */
record BucketScript(String text, String digest) {

	static BucketScript of(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
			return new BucketScript(text, HexFormat.of().formatHex(digest));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java runtime has SHA-1", ex);
		}
	}

	static BucketScript load() {
		try (InputStream file = BucketScript.class.getResourceAsStream("buckets.lua")) {
			if (file == null) {
				throw new IllegalStateException("buckets.lua is not beside " + BucketScript.class);
			}
			return of(new String(file.readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

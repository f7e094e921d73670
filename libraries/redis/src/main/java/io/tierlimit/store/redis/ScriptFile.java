package io.tierlimit.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * A script with its digest. Spring Data's class for scripts checks for each call, under a
 * lock, whether the source has changed.
 */
record ScriptFile(String getScriptAsString, String getSha1) implements RedisScript<Object> {

	/** Reads a script from the resources of this package. */
	static ScriptFile read(String name) {
		try (InputStream file = ScriptFile.class.getResourceAsStream(name)) {
			byte[] source = Objects.requireNonNull(file, name + " is missing").readAllBytes();
			RedisScript<?> script = RedisScript.of(new String(source, StandardCharsets.UTF_8));
			return new ScriptFile(script.getScriptAsString(), script.getSha1());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public @Nullable Class<Object> getResultType() {
		return null;
	}

}

package io.tierlimit.limit;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AlgorithmTests {

	@Test
	void bucketsThatSavePermitsHaveABurst() {
		assertThat(Stream.of(Algorithm.values()).filter(Algorithm::hasBurst)).containsExactly(Algorithm.TOKEN_BUCKET,
				Algorithm.FIXED_WINDOW);
	}

}

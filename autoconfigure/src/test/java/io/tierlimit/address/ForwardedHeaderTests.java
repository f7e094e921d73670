package io.tierlimit.address;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ForwardedHeaderTests {

	@Test
	void hasItsUsualName() {
		assertThat(ForwardedHeader.FORWARDED.headerName()).isEqualTo("Forwarded");
		assertThat(ForwardedHeader.X_FORWARDED_FOR.headerName()).isEqualTo("X-Forwarded-For");
	}

}

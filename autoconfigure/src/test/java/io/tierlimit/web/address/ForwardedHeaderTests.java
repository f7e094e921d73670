package io.tierlimit.web.address;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ForwardedHeaderTests {

	@Test
	void namesItsField() {
		assertThat(ForwardedHeader.FORWARDED.fieldName()).isEqualTo("Forwarded");
		assertThat(ForwardedHeader.X_FORWARDED_FOR.fieldName()).isEqualTo("X-Forwarded-For");
	}

}

package io.tierlimit.rule;

import java.util.Locale;

import io.tierlimit.RuleMode;
import io.tierlimit.limit.Algorithm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KebabCaseTests {

	@Test
	void constantIsWrittenInLowerCaseWithDashes() {
		assertThat(KebabCase.of(Algorithm.TOKEN_BUCKET)).isEqualTo("token-bucket");
		assertThat(KebabCase.of(RuleMode.SHADOW)).isEqualTo("shadow");
	}

	@Test
	void formatDoesNotDependOnTheLocale() {
		Locale before = Locale.getDefault();
		try {
			Locale.setDefault(Locale.forLanguageTag("tr"));
			assertThat(KebabCase.of(Algorithm.FIXED_WINDOW)).isEqualTo("fixed-window");
		}
		finally {
			Locale.setDefault(before);
		}
	}

}

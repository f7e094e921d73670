package io.tierlimit.option.outcome;

import java.util.List;
import java.util.Map;

import io.tierlimit.AppliesTo;
import io.tierlimit.option.RuleContext;
import io.tierlimit.rule.RuleOptions;
import io.tierlimit.rule.reader.Problems;
import io.tierlimit.rule.reader.PropertyReader;
import io.tierlimit.rule.reader.PropertyText;
import io.tierlimit.rule.reader.PropertyTexts;
import io.tierlimit.rule.reader.RuleProblems;
import io.tierlimit.rule.reader.TextSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChargePolicyReaderTests {

	private static final RuleContext RULE = new RuleContext("a", AppliesTo.REQUESTS, null, "1", RuleOptions.STANDARD,
			true, (type) -> List.of());

	@Test
	void authenticationRequiresSpringSecurity() {
		assertThat(problems("authentication-failure", "200,authentication-success")).containsExactly(
				"Rule 'a': charge-on 'authentication-failure' requires Spring Security. Add spring-boot-starter-security, or set response statuses as charge-on[0].",
				"Rule 'a': reset-on 'authentication-success' requires Spring Security. Add spring-boot-starter-security, or set response statuses as reset-on[1].");
	}

	@Test
	void resetOnFailureIsReportedWithoutSpringSecurity() {
		assertThat(problems("authentication-failure", "authentication-failure")).containsExactly(
				"Rule 'a': charge-on 'authentication-failure' requires Spring Security. Add spring-boot-starter-security, or set response statuses as charge-on[0].",
				"Rule 'a': reset-on must not be authentication-failure, because guessing would cost nothing. Correct reset-on[0].");
	}

	private static List<String> problems(String chargeOn, String resetOn) {
		Problems problems = new Problems();
		TextSource source = (property) -> property;
		PropertyTexts texts = new PropertyTexts(source,
				PropertyText.of(Map.of("charge-on", chargeOn, "reset-on", resetOn), source, true));
		PropertyReader properties = new PropertyReader(texts, new RuleProblems("Rule 'a'", texts, problems));
		assertThat(new ChargePolicyReader(false).read(properties, RULE)).isNull();
		return problems.sentences();
	}

}

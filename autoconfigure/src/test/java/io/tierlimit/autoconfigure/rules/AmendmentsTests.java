package io.tierlimit.autoconfigure.rules;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reading the properties of rule sources again.
 */
class AmendmentsTests {

	private final TestRuleSource table = new TestRuleSource("table").set("a", "rate", "1/s").set("b", "rate", "1/s");

	@Test
	void onlyChangedRulesAreBoundAgain() throws Exception {
		Amendments before = read(Amendments.NONE, new Problems());
		this.table.set("b", "rate", "2/s");
		Amendments after = read(before, new Problems());
		assertThat(after.of("a")).isSameAs(before.of("a"));
		assertThat(after.of("b")).isNotSameAs(before.of("b"));
	}

	@Test
	void removedPropertyIsAChange() throws Exception {
		this.table.set("a", "burst", "5");
		Amendments before = read(Amendments.NONE, new Problems());
		assertThat(before.set("a", "burst")).isTrue();
		this.table.remove("a");
		this.table.set("a", "rate", "1/s");
		assertThat(read(before, new Problems()).set("a", "burst")).isFalse();
	}

	@Test
	void anotherSpellingOfTheIdIsAChange() throws Exception {
		this.table.set("per-ip", "rate", "1/s");
		Amendments before = read(Amendments.NONE, new Problems());
		this.table.remove("per-ip");
		this.table.set("perIp", "rate", "1/s");
		assertThat(read(before, new Problems()).of("per-ip")).extracting(Amendment::id).isEqualTo("perIp");
	}

	@Test
	void problemsAreReportedEachTime() throws Exception {
		this.table.set("b", "mode", "shade");
		Problems first = new Problems();
		Amendments before = read(Amendments.NONE, first);
		Problems second = new Problems();
		read(before, second);
		assertThat(second.sentences()).hasSize(1).isEqualTo(first.sentences());
	}

	private Amendments read(Amendments before, Problems problems) throws Exception {
		return Amendments.of(List.of(SourceProperties.read("table", this.table)), before, new MockEnvironment(),
				problems);
	}

}

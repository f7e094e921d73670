package io.tierlimit.web.proxy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ForwardedElementTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = { "for=192.0.2.1 | 192.0.2.1",
			"FOR=192.0.2.1 | 192.0.2.1", "fOr=\"192.0.2.1:80\" | 192.0.2.1:80",
			"for=\"[2001:db8::1]:443\" | [2001:db8::1]:443", "for=_x | _x", "for=unknown | unknown", "for=\"\" | ``",
			"for=192.0.2.1;proto=https;by=_p | 192.0.2.1", "proto=https;for=192.0.2.1 | 192.0.2.1",
			"proto=https; for=192.0.2.1 ;\thost=h | 192.0.2.1", "for=192.0.2.1; | 192.0.2.1",
			";for=192.0.2.1 | 192.0.2.1", ";;for=192.0.2.1;;;by=_p; ; | 192.0.2.1",
			"host=\"a;for=6.6.6.6\";for=192.0.2.1 | 192.0.2.1", "host=\"\";for=192.0.2.1 | 192.0.2.1",
			"host=\"a\\\";for=6.6.6.6;b=\\\"\";for=192.0.2.1 | 192.0.2.1", "host=\"a\\\\\";for=192.0.2.1 | 192.0.2.1",
			"for=\"1\\92.0\\.2.1\" | 192.0.2.1", "for=\"a\\\"b\\\\c\" | a\"b\\c", "for=\" a\tb \" | ` a\tb `",
			"forwarded=x;for=192.0.2.1 | 192.0.2.1", "host=\"é\";for=192.0.2.1 | 192.0.2.1" })
	void readsTheParameterFor(String element, String node) {
		assertThat(ForwardedElement.node(element)).isEqualTo(node);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ";", "proto=https", "for", "for=", "=192.0.2.1", "for =192.0.2.1", "for= 192.0.2.1",
			"for=192.0.2.1;for=192.0.2.1", "for=192.0.2.1;FOR=192.0.2.2", "for=\"192.0.2.1", "for=192.0.2.1\"",
			"for=\"192.0.2.1\\\"", "for=\"192.0.2.1\\", "for=\"192.0.2.1\"x", "for=x\"192.0.2.1\"", "for=192.0.2.1:80",
			"for=[2001:db8::1]", "for=2001:db8::1", "for=192.0.2.1;x", "for=192.0.2.1;x=", "for=192.0.2.1 x",
			"for=192.0.2.1 by=_p", "for=192.0.2.1;host=a\"b\"", "for==192.0.2.1", "for=192.0.2.1;x=\"a\u0000\"",
			"for=192.0.2.1;x=\"a\\\u007f\"", "for=192.0.2.1;é=x", "for=192.0.2.1;x=é", "for=192.0.2.1,by=_p",
			"192.0.2.1", "\"for=192.0.2.1\"", "for\\=192.0.2.1", "for='192.0.2.1\"" })
	void rejectsAnElementThatIsMalformedOrHasNotExactlyOneFor(String element) {
		assertThat(ForwardedElement.node(element)).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "for=a | for=a", "x,for=a | for=a", "x,y,for=a | for=a", "x, | ``", ", | ``",
					"x,\"a,b\" | \"a,b\"", "x,a=\",\";b=\",\" | a=\",\";b=\",\"", "x,a=\"\\\",\" | a=\"\\\",\"",
					"x,a=\"\\\\\",b | b", "x,a=\",\\\\\" | a=\",\\\\\"", "\"x,\" ,for=a | for=a",
					"for=\"x, for=\"a\" | ` for=\"a\"`", "for=\"x\\, for=\"a\" | ` for=\"a\"`",
					"for=\"x\\\\\\, for=\"a,\\\\\" | ` for=\"a,\\\\\"`" })
	void findsTheLastElementFromTheEnd(String line, String element) {
		assertThat(line.substring(ForwardedElement.start(line, line.length()))).isEqualTo(element);
	}

	@Test
	void findsTheOnlyElementOfAnEmptyLine() {
		assertThat(ForwardedElement.start("", 0)).isZero();
	}

}

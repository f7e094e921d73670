package io.tierlimit.web.header;

import java.util.LinkedHashMap;
import java.util.Map;

import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parametrizable;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/**
 * Reads {@code RateLimit} and {@code RateLimit-Policy} as a strict client does.
 */
public final class RateLimitField {

	private RateLimitField() {
	}

	/**
	 * Returns the integer parameters of every item. The item must be a string. Other
	 * parameters, such as the unit of a quota, must be strings.
	 */
	public static Map<String, Map<String, Long>> parse(String field) {
		Map<String, Map<String, Long>> items = new LinkedHashMap<>();
		for (ListElement<?> element : Parser.parseList(field).get()) {
			Map<String, Long> params = new LinkedHashMap<>();
			((Parametrizable<?>) element).getParams().forEach((name, value) -> {
				if (!(value instanceof StringItem)) {
					params.put(name, ((IntegerItem) value).getAsLong());
				}
			});
			items.put(((StringItem) element).get(), params);
		}
		return items;
	}

}

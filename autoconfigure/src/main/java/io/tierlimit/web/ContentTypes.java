package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.MediaType;

/**
 * The kind of a request body, by the beginning of its {@code Content-Type}, as servlet
 * containers read it.
 */
public final class ContentTypes {

	private static final String MULTIPART = "multipart/";

	private ContentTypes() {
	}

	/**
	 * Whether parameters are read from the body of a form.
	 * @param request the request
	 * @return whether it is {@code application/x-www-form-urlencoded}
	 */
	public static boolean isForm(HttpServletRequest request) {
		return startsWith(request, MediaType.APPLICATION_FORM_URLENCODED_VALUE);
	}

	/**
	 * Whether parameters are read from the parts of an upload.
	 * @param request the request
	 * @return whether it is {@code multipart/form-data}, or another type of several parts
	 */
	public static boolean isMultipart(HttpServletRequest request) {
		return startsWith(request, MULTIPART);
	}

	private static boolean startsWith(HttpServletRequest request, String type) {
		String sent = request.getContentType();
		return sent != null && sent.regionMatches(true, 0, type, 0, type.length());
	}

}

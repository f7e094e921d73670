package io.tierlimit.web;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * The information in the headers of a request about its body. As in servlet containers,
 * the beginning of the {@code Content-Type} determines the kind of body.
 */
public final class ContentTypes {

	private static final String MULTIPART = "multipart/";

	private ContentTypes() {
	}

	/**
	 * Whether the container reads parameters from the body of a form.
	 * @param request the request
	 * @return whether it is {@code application/x-www-form-urlencoded}
	 */
	static boolean isForm(HttpServletRequest request) {
		return startsWith(request, MediaType.APPLICATION_FORM_URLENCODED_VALUE);
	}

	/**
	 * Whether the container reads parameters from the parts of an upload.
	 * @param request the request
	 * @return whether its type is {@code multipart/form-data} or another multipart type
	 */
	public static boolean isMultipart(HttpServletRequest request) {
		return startsWith(request, MULTIPART);
	}

	/**
	 * Whether a request may have a body. In HTTP/2, a request may have a body even if no
	 * header shows its length.
	 * @param request the request
	 * @return false only if the request has no body
	 */
	public static boolean mayHaveBody(HttpServletRequest request) {
		return announcesBody(request)
				|| (request.getContentLengthLong() < 0 && !request.getProtocol().startsWith("HTTP/1"));
	}

	/** Whether a header of a request shows that it has a body. */
	static boolean announcesBody(HttpServletRequest request) {
		long length = request.getContentLengthLong();
		return length > 0 || (length < 0 && request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null);
	}

	private static boolean startsWith(HttpServletRequest request, String type) {
		String contentType = request.getContentType();
		return contentType != null && contentType.regionMatches(true, 0, type, 0, type.length());
	}

}

package io.tierlimit.sample.live;

import java.util.List;
import java.util.Objects;

import io.tierlimit.web.proxy.ClientAddresses;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/live")
class LiveController {

	private final LiveBuckets buckets;

	/** Empty if Tierlimit is disabled. */
	private final ObjectProvider<ClientAddresses> addresses;

	LiveController(LiveBuckets buckets, ObjectProvider<ClientAddresses> addresses) {
		this.buckets = buckets;
		this.addresses = addresses;
	}

	/** Has no effect. The page only shows whether the request was allowed. */
	@PostMapping("/requests")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void request() {
	}

	@GetMapping("/buckets")
	List<LiveBucket> buckets(HttpServletRequest request) {
		ClientAddresses known = this.addresses.getIfAvailable();
		String address = (known != null) ? known.of(request) : request.getRemoteAddr();
		return this.buckets.seenFrom(Objects.requireNonNull(address));
	}

}

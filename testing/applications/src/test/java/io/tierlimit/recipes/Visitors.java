package io.tierlimit.recipes;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Visitors {

	private final Captchas captchas;

	Visitors(Captchas captchas) {
		this.captchas = captchas;
	}

	@PostMapping("/captcha")
	ResponseEntity<Void> verify(String answer, HttpServletRequest request) {
		if (!this.captchas.isSolved(answer)) {
			return ResponseEntity.status(HttpStatus.FORBIDDEN).build();
		}
		HttpSession session = request.getSession();
		session.setAttribute("visitor", session.getId());
		return ResponseEntity.noContent().build();
	}

	/** Asks your captcha service, which accepts each answer only once. */
	interface Captchas {

		boolean isSolved(String answer);

	}

}

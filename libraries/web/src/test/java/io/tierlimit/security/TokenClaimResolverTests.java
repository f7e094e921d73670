package io.tierlimit.security;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;

import static org.assertj.core.api.Assertions.assertThat;

class TokenClaimResolverTests {

	private final TokenClaimResolver resolver = new TokenClaimResolver();

	@Test
	void claimOfAJwtIsFound() {
		Jwt token = Jwt.withTokenValue("t").header("alg", "none").subject("alice").build();
		assertThat(find(token, "sub")).isEqualTo("alice");
		assertThat(find(token, "missing")).isNull();
	}

	@Test
	void attributeOfAnOpaqueTokenOrALoginIsFound() {
		Object owner = new DefaultOAuth2AuthenticatedPrincipal("alice", Map.of("tenant", "acme"), List.of());
		assertThat(find(owner, "tenant")).isEqualTo("acme");
		assertThat(find(owner, "missing")).isNull();
	}

	@Test
	void principalWithoutATokenHasNoClaim() {
		assertThat(find("alice", "sub")).isNull();
		assertThat(this.resolver.resolve(() -> "alice", "sub")).isNull();
	}

	private @Nullable Object find(Object owner, String claim) {
		return this.resolver.resolve(new TestingAuthenticationToken(owner, null), claim);
	}

}

package com.example.slices;

import io.tierlimit.spi.Caller;
import io.tierlimit.spi.KeyResolver;

import org.springframework.stereotype.Component;

@Component("tenant")
class TenantResolver implements KeyResolver {

	@Override
	public String resolve(Caller caller) {
		return caller.header("X-Tenant");
	}

}

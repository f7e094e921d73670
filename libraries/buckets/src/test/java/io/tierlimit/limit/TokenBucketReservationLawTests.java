package io.tierlimit.limit;

class TokenBucketReservationLawTests extends ReservationLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.limit();
	}

}

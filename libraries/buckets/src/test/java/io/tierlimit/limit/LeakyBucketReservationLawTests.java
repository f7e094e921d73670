package io.tierlimit.limit;

class LeakyBucketReservationLawTests extends ReservationLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.leaky();
	}

}

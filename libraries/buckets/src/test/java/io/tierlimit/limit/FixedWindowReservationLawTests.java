package io.tierlimit.limit;

class FixedWindowReservationLawTests extends ReservationLaws {

	@Override
	Limit limit(RandomTraffic traffic) {
		return traffic.window();
	}

}

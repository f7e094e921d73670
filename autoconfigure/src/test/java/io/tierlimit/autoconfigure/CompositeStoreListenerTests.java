package io.tierlimit.autoconfigure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreListener.CallOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CompositeStoreListener}.
 */
@ExtendWith(OutputCaptureExtension.class)
class CompositeStoreListenerTests {

	private final List<CallOutcome> outcomes = new ArrayList<>();

	private int rejections;

	@Test
	void listenerThatThrowsIsLoggedOnceAndOthersAreNotified(CapturedOutput output) {
		StoreListener failing = failing();
		CompositeStoreListener listeners = new CompositeStoreListener(List.of(failing, recording()));
		for (int i = 0; i < 2; i++) {
			listeners.onCall(CallOutcome.ANSWERED, 1);
			listeners.onCachedRejection();
		}
		assertThat(this.outcomes).hasSize(2);
		assertThat(this.rejections).isEqualTo(2);
		assertThat(output).containsOnlyOnce("WARN").contains("java.io.IOException: no disk");
	}

	private StoreListener recording() {
		return new StoreListener() {

			@Override
			public void onCall(CallOutcome outcome, long nanos) {
				CompositeStoreListenerTests.this.outcomes.add(outcome);
			}

			@Override
			public void onCachedRejection() {
				CompositeStoreListenerTests.this.rejections++;
			}

		};
	}

	private static StoreListener failing() {
		return new StoreListener() {

			@Override
			public void onCall(CallOutcome outcome, long nanos) {
				CompositeStoreListenerTests.<RuntimeException>fail(new IOException("no disk"));
			}

			@Override
			public void onCachedRejection() {
				throw new StackOverflowError();
			}

		};
	}

	/**
	 * Throws a checked exception, as code in languages without checked exceptions can.
	 */
	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void fail(Throwable failure) throws E {
		throw (E) failure;
	}

}

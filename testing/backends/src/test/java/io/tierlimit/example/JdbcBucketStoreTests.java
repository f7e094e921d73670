package io.tierlimit.example;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Rate;
import io.tierlimit.limit.TokenBucket;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.SimulatedTicker;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.test.BucketStoreContract;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

class JdbcBucketStoreTests extends BucketStoreContract {

	private static final Charge CHARGE = new Charge(new BucketKey("per-user", "ada"),
			new TokenBucket(Rate.parse("1/s"), 4), 1);

	private static JdbcConnectionPool database;

	@BeforeAll
	static void openDatabase() {
		database = open();
	}

	@AfterAll
	static void closeDatabase() {
		database.dispose();
	}

	@Override
	protected BucketStore createStore(Ticker ticker) {
		JdbcClient.create(database).sql("DELETE FROM bucket").update();
		return store(database, ticker);
	}

	@Test
	void concurrentRequestsThatCreateABucketBothCount() {
		SimulatedTicker clock = new SimulatedTicker();
		JdbcBucketStore other = (JdbcBucketStore) createStore(clock);
		AtomicBoolean first = new AtomicBoolean(true);
		JdbcBucketStore store = store(database, () -> {
			if (first.getAndSet(false)) {
				assertThat(other.acquire(List.of(CHARGE), new StoreFailureFlag()).admitted()).isTrue();
			}
			return clock.ticks();
		});
		assertThat(store.acquire(List.of(CHARGE), new StoreFailureFlag()).admitted()).isTrue();
		assertThat(store.peek(List.of(CHARGE)).decisions()).extracting(Decision::remaining).containsExactly(1L);
	}

	@Test
	void onlyRowsOfFullBucketsAreDeleted() {
		SimulatedTicker clock = new SimulatedTicker();
		JdbcBucketStore store = store(database, clock);
		store.resetAll("per-user");
		store.acquire(List.of(CHARGE), new StoreFailureFlag());
		clock.advance(Duration.ofSeconds(61));
		assertThat(store.deleteFullBuckets()).isZero();
		clock.advance(Duration.ofNanos(1000));
		assertThat(store.deleteFullBuckets()).isEqualTo(1);
	}

	@Test
	void unreachableDatabaseDeniesRequestsAndIsReported() {
		JdbcConnectionPool closed = open();
		JdbcBucketStore store = store(closed, Ticker.system());
		assertThat(store.status().reachable()).isTrue();
		closed.dispose();
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		assertThat(store.acquire(List.of(CHARGE), failureFlag).source()).isEqualTo(AcquireResult.Source.NONE);
		assertThat(failureFlag.isSet()).isTrue();
		assertThat(store.peek(List.of(CHARGE)).decisions()).containsOnlyNulls();
		assertThat(store.reset(CHARGE.key(), new StoreFailureFlag())).isFalse();
		assertThat(store.resetAll("per-user")).isFalse();
		assertThat(store.status().reachable()).isFalse();
		assertThat(store.status().lastFailure()).isNotNull();
	}

	private static JdbcBucketStore store(JdbcConnectionPool database, Ticker ticker) {
		return new JdbcBucketStore(JdbcClient.create(database), new JdbcTransactionManager(database), ticker);
	}

	private static JdbcConnectionPool open() {
		JdbcConnectionPool opened = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
				"sa", "");
		new ResourceDatabasePopulator(new ClassPathResource("bucket.sql", JdbcBucketStore.class)).execute(opened);
		return opened;
	}

}

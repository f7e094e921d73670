package io.tierlimit.example;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.tierlimit.limit.Ban;
import io.tierlimit.limit.BucketState;
import io.tierlimit.limit.Overrun;
import io.tierlimit.limit.PackedState;
import io.tierlimit.limit.StoreFailurePolicy;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.LockedBuckets;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.Ticker;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Buckets in a table of a relational database, shared by all instances.
 */
public final class JdbcBucketStore implements BucketStore {

	private static final int ATTEMPTS = 10;

	private final JdbcClient jdbc;

	private final TransactionTemplate transaction;

	private final Ticker ticker;

	private volatile StoreStatus.@Nullable Failure lastFailure;

	public JdbcBucketStore(JdbcClient jdbc, PlatformTransactionManager transactions, Ticker ticker) {
		this.jdbc = jdbc;
		this.ticker = ticker;
		this.transaction = new TransactionTemplate(transactions);
		// A transaction of the application must neither keep the locks nor roll back.
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.setTimeout(5);
	}

	@Override
	public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		return inTransaction(failureFlag, () -> change(charges, (buckets, now) -> buckets.acquire(charges, now)),
				() -> AcquireResult.unreachable(charges, StoreFailurePolicy.DENY));
	}

	private <T> T change(List<Charge> charges, BiFunction<LockedBuckets, Long, T> operation) {
		List<BucketKey> keys = keys(charges);
		LockedBuckets buckets = lock(keys);
		Set<BucketKey> locked = Set.copyOf(buckets.states().keySet());
		long now = this.ticker.ticks();
		T result = operation.apply(buckets, now);
		for (BucketKey key : keys) {
			BucketState state = buckets.states().get(key);
			if (state != null && buckets.changed().contains(key)) {
				long fullAt = fullAt(key, state, charges, now);
				save(key, state, Math.max(fullAt, state.bansMatterUntil()), locked.contains(key));
			}
		}
		return result;
	}

	/** The time at which a bucket is full. Only the first charge on it is considered. */
	private static long fullAt(BucketKey key, BucketState state, List<Charge> charges, long now) {
		return charges.stream()
			.filter((charge) -> charge.key().equals(key))
			.findFirst()
			.map((charge) -> now + charge.limit().peek(state, 0, now).resetTicks())
			.orElse(now);
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		return inTransaction(new StoreFailureFlag(), () -> lock(keys(charges)).peek(charges, this.ticker.ticks()),
				() -> AcquireResult.undecided(charges));
	}

	@Override
	public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		List<Charge> charges = settlements.stream().map(Settlement::charge).toList();
		return inTransaction(failureFlag, () -> change(charges, (buckets, now) -> buckets.settle(settlements, now)),
				List::of);
	}

	@Override
	public boolean reset(BucketKey key, StoreFailureFlag failureFlag) {
		return change(key, failureFlag, (buckets) -> buckets.reset(key, this.ticker.ticks()));
	}

	@Override
	public boolean refill(BucketKey key, StoreFailureFlag failureFlag) {
		return change(key, failureFlag, (buckets) -> buckets.refill(key, this.ticker.ticks()));
	}

	private boolean change(BucketKey key, StoreFailureFlag failureFlag, Consumer<LockedBuckets> operation) {
		return inTransaction(failureFlag, () -> {
			LockedBuckets buckets = lock(List.of(key));
			operation.accept(buckets);
			buckets.states().forEach(this::save);
			return true;
		}, () -> false);
	}

	@Override
	public boolean resetAll(String rule) {
		StoreFailureFlag failureFlag = new StoreFailureFlag();
		List<String> keys = inTransaction(failureFlag,
				() -> this.jdbc.sql("SELECT bucket_key FROM bucket WHERE rule = ?")
					.param(rule)
					.query(String.class)
					.list(),
				List::of);
		keys.forEach((key) -> reset(new BucketKey(rule, key), failureFlag));
		return !failureFlag.isSet();
	}

	@Override
	public Map<BucketKey, Ban> bans(String rule, int most) {
		return inTransaction(new StoreFailureFlag(), () -> {
			Map<BucketKey, Ban> bans = new HashMap<>();
			long now = this.ticker.ticks();
			this.jdbc.sql("SELECT bucket_key, state FROM bucket WHERE rule = ?").param(rule).query((row) -> {
				Ban ban = PackedState.unpack(row.getBytes("state")).ban(now);
				if (ban != null && bans.size() < most) {
					bans.put(new BucketKey(rule, row.getString("bucket_key")), ban);
				}
			});
			return bans;
		}, Map::of);
	}

	/**
	 * Deletes the rows of buckets that have been full for a minute, and whose rejections
	 * and bans no longer affect the next ban. The application calls this method from time
	 * to time.
	 * @return the number of rows
	 */
	public int deleteFullBuckets() {
		long minute = 60_000_000;
		return this.jdbc.sql("DELETE FROM bucket WHERE full_at < ?").param(this.ticker.ticks() - minute).update();
	}

	@Override
	public String name() {
		return "jdbc";
	}

	@Override
	public StoreStatus status() {
		boolean reachable = inTransaction(new StoreFailureFlag(),
				() -> this.jdbc.sql("SELECT 1").query(Integer.class).single() == 1, () -> false);
		return new StoreStatus(reachable, StoreFailurePolicy.DENY, Map.of(), this.lastFailure);
	}

	private <T> T inTransaction(StoreFailureFlag failureFlag, Supplier<T> operation, Supplier<T> otherwise) {
		for (int attempt = 1; !failureFlag.isSet(); attempt++) {
			try {
				return this.transaction.execute((status) -> operation.get());
			}
			catch (DataAccessException | TransactionException ex) {
				// Another request has inserted the same bucket, so its row can now be
				// locked.
				if (!(ex instanceof DuplicateKeyException) || attempt == ATTEMPTS) {
					failureFlag.set();
					String reason = NestedExceptionUtils.getMostSpecificCause(ex).toString();
					this.lastFailure = new StoreStatus.Failure(reason, Instant.now());
				}
			}
		}
		return otherwise.get();
	}

	private static List<BucketKey> keys(List<Charge> charges) {
		// All requests lock in the same order, which prevents deadlocks.
		return charges.stream().map(Charge::key).distinct().sorted().toList();
	}

	private LockedBuckets lock(List<BucketKey> keys) {
		LockedBuckets buckets = new LockedBuckets();
		for (BucketKey key : keys) {
			this.jdbc.sql("SELECT state FROM bucket WHERE rule = ? AND bucket_key = ? FOR UPDATE")
				.params(key.rule(), key.key())
				.query(byte[].class)
				.optional()
				.ifPresent((packed) -> buckets.add(key, PackedState.unpack(packed)));
		}
		return buckets;
	}

	private void save(BucketKey key, BucketState state) {
		this.jdbc.sql("UPDATE bucket SET state = ? WHERE rule = ? AND bucket_key = ?")
			.params(PackedState.pack(state), key.rule(), key.key())
			.update();
	}

	/**
	 * Writes a row. A row that did not exist is not locked, so it is inserted, never
	 * updated. If another request has inserted it in the meantime, the insertion fails
	 * and this request is repeated.
	 */
	private void save(BucketKey key, BucketState state, long fullAt, boolean locked) {
		String sql = locked ? "UPDATE bucket SET state = ?, full_at = ? WHERE rule = ? AND bucket_key = ?"
				: "INSERT INTO bucket (state, full_at, rule, bucket_key) VALUES (?, ?, ?, ?)";
		this.jdbc.sql(sql).params(PackedState.pack(state), fullAt, key.rule(), key.key()).update();
	}

}

package io.tierlimit.store.redis;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.tierlimit.limit.Algorithm;
import io.tierlimit.limit.Ban;
import io.tierlimit.limit.Decision;
import io.tierlimit.limit.Overrun;
import io.tierlimit.logging.OnceLogger;
import io.tierlimit.store.AcquireResult;
import io.tierlimit.store.BucketCounts;
import io.tierlimit.store.BucketKey;
import io.tierlimit.store.BucketStore;
import io.tierlimit.store.Charge;
import io.tierlimit.store.PermitHolder;
import io.tierlimit.store.Settlement;
import io.tierlimit.store.StoreFailureFlag;
import io.tierlimit.store.StoreListener;
import io.tierlimit.store.StoreStatus;
import io.tierlimit.store.Ticker;
import io.tierlimit.store.memory.InMemoryBucketStore;
import io.tierlimit.store.redis.ScriptCallFactory.SettleCall;
import io.tierlimit.store.redis.ScriptClient.ScriptCall;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Buckets in Redis, shared by all instances.
 * <p>
 * A request is one call of a script that decides all its charges by the clock of Redis;
 * on a Redis Cluster, one call per slot. A request that cannot be allowed, according to a
 * reply of Redis less than a second ago, is rejected without a call. If Redis does not
 * decide in time, each charge is decided by its options, for example by this instance's
 * own buckets. No failure of Redis results in an exception.
 */
public final class RedisBucketStore implements BucketStore, BucketCounts, AutoCloseable {

	/** The maximum time of a search for all buckets of a rule. */
	private static final Duration MAX_SCAN = Duration.ofSeconds(30);

	/** The maximum time that startup waits for Redis. */
	private static final Duration MAX_WARM_UP = Duration.ofSeconds(1);

	private final ScriptClient client;

	private final RedisStoreSettings settings;

	private final RedisBuckets redis;

	private final RejectionCache rejections;

	private final InMemoryBucketStore own;

	private final LocalFallback local;

	private final Supplier<StoreStatus.LocalShare> localShare;

	private final HolderRenewal holders;

	private final Renewals renewals;

	private final StoreListener listener;

	private final OutageTracker outage;

	private final InstrumentedCalls calls;

	private final OnceLogger foreignValues = new OnceLogger(RedisBucketStore.class);

	/**
	 * Creates a store, with up to 1,000,000 buckets in this instance for the time when
	 * Redis cannot be reached. Connects to Redis, and waits for at most a second, because
	 * Redis may be down.
	 * @param factory the connections to Redis, which the caller closes after the store
	 * @param settings the settings of the store
	 */
	public RedisBucketStore(RedisConnectionFactory factory, RedisStoreSettings settings) {
		this(factory, settings, new InMemoryBucketStore(Ticker.system(), 1_000_000), StoreListener.NONE);
	}

	/**
	 * Creates a store. Connects to Redis, and waits for at most a second, because Redis
	 * may be down.
	 * @param factory the connections to Redis, which the caller closes after the store
	 * @param settings the settings of the store
	 * @param own this instance's own buckets, for the time when Redis cannot be reached
	 * @param listener is notified of every call
	 */
	public RedisBucketStore(RedisConnectionFactory factory, RedisStoreSettings settings, InMemoryBucketStore own,
			StoreListener listener) {
		this(ScriptClientFactory.create(factory, settings.timeout()), RedisBuckets.script(), settings, own, listener,
				CircuitBreakers.CONFIG, System::nanoTime);
		connect();
	}

	RedisBucketStore(ScriptClient client, RedisScript<?> script, RedisStoreSettings settings, InMemoryBucketStore own,
			StoreListener listener, LongSupplier nanoTime) {
		this(client, script, settings, own, listener, CircuitBreakers.withClock(nanoTime), nanoTime);
	}

	private RedisBucketStore(ScriptClient client, RedisScript<?> script, RedisStoreSettings settings,
			InMemoryBucketStore own, StoreListener listener, CircuitBreakerConfig breakers, LongSupplier nanoTime) {
		this.client = client;
		this.settings = settings;
		RedisKeys names = new RedisKeys(settings.keyPrefix());
		this.redis = new RedisBuckets(client, script, names, breakers, nanoTime);
		this.rejections = new RejectionCache(settings.cachedRejections(), nanoTime);
		this.own = own;
		this.listener = listener;
		this.holders = new HolderRenewal(ScriptSession.inBackground(client, script, nanoTime), this.redis.calls(),
				listener, nanoTime);
		BigDecimal share = settings.localShare();
		if (share != null) {
			StoreStatus.LocalShare fixed = new StoreStatus.LocalShare(share, null, null);
			this.localShare = () -> fixed;
			this.renewals = new Renewals(List.of(this.holders));
		}
		else {
			InstanceShare counted = new InstanceShare(
					ScriptSession.inBackground(client, InstanceShare.script(), System::nanoTime), names.members(),
					System::nanoTime);
			this.localShare = counted::current;
			this.renewals = new Renewals(List.of(this.holders, counted));
		}
		this.local = new LocalFallback(own, () -> this.localShare.get().share(), settings.onStoreFailure());
		this.outage = new OutageTracker(nanoTime);
		this.calls = new InstrumentedCalls(listener, this.outage, this.redis.breakers()::areClosed, settings.timeout());
	}

	/** Connects to Redis, and begins to renew what this instance has there. */
	void connect() {
		this.redis.warmUp(Deadline.in(MAX_WARM_UP, System::nanoTime));
		join();
	}

	@Override
	public AcquireResult acquire(List<Charge> charges, StoreFailureFlag failureFlag) {
		if (charges.isEmpty()) {
			return new AcquireResult(true, List.of(), charges);
		}
		Map<BucketKey, ChargeAttempt> sums = new LinkedHashMap<>();
		charges.forEach((charge) -> sums.merge(charge.key(), new ChargeAttempt(charge), ChargeAttempt::plus));
		List<ChargeAttempt> attempts = List.copyOf(sums.values());
		try {
			boolean admitted = !rejectFromCache(attempts)
					&& this.calls.run(failureFlag, (timeout) -> acquireInRedis(attempts, failureFlag, timeout));
			AcquireResult result = result(admitted, charges, sums);
			if (admitted) {
				result.charges().forEach(this.holders::add);
			}
			return result;
		}
		catch (StoreFailure ex) {
			releaseUnconfirmed(attempts, failureFlag);
			AcquireResult result = this.local.acquire(charges, failureFlag);
			this.outage.count(result);
			return result;
		}
	}

	/** The permits that requests of this instance hold. */
	HolderRenewal holders() {
		return this.holders;
	}

	/**
	 * Releases permits that Redis may have granted although its reply was lost. A call
	 * that was skipped has not set the flag, and has granted nothing.
	 */
	private void releaseUnconfirmed(List<ChargeAttempt> attempts, StoreFailureFlag failureFlag) {
		List<Charge> held = attempts.stream().map(ChargeAttempt::charge).filter(Holding::isHeld).toList();
		if (failureFlag.isSet() && !held.isEmpty()) {
			runAll(failureFlag, this.redis.calls().release(held));
		}
	}

	/** Charges on the same bucket have the same decision and receipt. */
	private static AcquireResult result(boolean admitted, List<Charge> charges, Map<BucketKey, ChargeAttempt> sums) {
		List<@Nullable Decision> decisions = new ArrayList<>(charges.size());
		List<Charge> decided = new ArrayList<>(charges.size());
		for (Charge charge : charges) {
			ChargeAttempt attempt = Objects.requireNonNull(sums.get(charge.key()));
			decisions.add(attempt.decision());
			decided.add(attempt.withReceipt(charge));
		}
		return new AcquireResult(admitted, decisions, decided);
	}

	/** Rejects charges that cannot be allowed according to an earlier reply of Redis. */
	private boolean rejectFromCache(List<ChargeAttempt> attempts) {
		boolean rejected = false;
		for (ChargeAttempt attempt : attempts) {
			rejected |= attempt.rejectFromCache(this.rejections.reject(attempt.charge()));
		}
		if (rejected) {
			this.listener.onCachedRejection();
		}
		return rejected;
	}

	private boolean acquireInRedis(List<ChargeAttempt> attempts, StoreFailureFlag failureFlag, Duration timeout)
			throws StoreFailure {
		RejectionCache.CallStart start = this.rejections.start(attempts.stream().map(ChargeAttempt::charge).toList());
		MultiSlotAcquisition acquisition = new MultiSlotAcquisition(this.redis, attempts, timeout);
		boolean admitted = run(acquisition);
		StoreFailure failure = acquisition.failure();
		if (failure != null) {
			failureFlag.set();
			this.outage.recordFailure(failure);
		}
		for (int i = 0; i < attempts.size(); i++) {
			Charge charge = attempts.get(i).charge();
			BucketSnapshot bucket = attempts.get(i).bucket();
			if (bucket == null) {
				continue;
			}
			boolean allowed = attempts.get(i).decideByBucket(admitted);
			if (!admitted && !charge.shadow() && !allowed) {
				this.rejections.put(charge, bucket, start, i);
			}
			if (bucket.isForeign()) {
				warnOfForeignValue(charge.key().rule());
			}
		}
		return admitted;
	}

	private boolean run(MultiSlotAcquisition acquisition) throws StoreFailure {
		try {
			return acquisition.acquire();
		}
		finally {
			// Rejections of other requests may have been cached in the meantime.
			acquisition.refunded().forEach(this.rejections::invalidate);
		}
	}

	@Override
	public AcquireResult peek(List<Charge> charges) {
		List<BucketKey> keys = charges.stream().map(Charge::key).toList();
		try {
			List<BucketSnapshot> buckets = this.calls.run(new StoreFailureFlag(),
					(timeout) -> this.redis.peek(keys, timeout));
			List<@Nullable Decision> decisions = new ArrayList<>(charges.size());
			for (int i = 0; i < charges.size(); i++) {
				decisions.add(buckets.get(i).peek(charges.get(i)));
			}
			return new AcquireResult(true, decisions, charges);
		}
		catch (StoreFailure ex) {
			return this.local.peek(charges);
		}
	}

	@Override
	public List<Overrun> settle(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		List<Settlement> inRedis = settlements.stream()
			.filter((settlement) -> !LocalFallback.isFromFallback(settlement.charge()))
			.toList();
		Iterator<Overrun> settled = settleInRedis(inRedis, failureFlag).iterator();
		boolean done = inRedis.isEmpty() || settled.hasNext();
		List<Overrun> overruns = new ArrayList<>(settlements.size());
		for (Settlement settlement : settlements) {
			if (LocalFallback.isFromFallback(settlement.charge())) {
				overruns.add(this.local.settle(settlement, failureFlag));
			}
			else if (done) {
				overruns.add(settled.next());
			}
		}
		return done ? overruns : List.of();
	}

	/** Returns an empty list if there was no reply. */
	private List<Overrun> settleInRedis(List<Settlement> settlements, StoreFailureFlag failureFlag) {
		if (settlements.isEmpty()) {
			return List.of();
		}
		Overrun[] overruns = new Overrun[settlements.size()];
		settlements.forEach((settlement) -> this.holders.remove(settlement.charge()));
		List<SettleCall> calls = this.redis.calls().settle(settlements);
		boolean done = this.calls.attempt(failureFlag, (timeout) -> {
			Iterator<BucketSnapshot> buckets = this.redis.run(calls.stream().map(SettleCall::call).toList(), timeout)
				.iterator();
			for (SettleCall call : calls) {
				call.positions().forEach((i) -> overruns[i] = buckets.next().settled(settlements.get(i)));
			}
			return true;
		});
		if (!done) {
			settlements.forEach((settlement) -> this.holders.releaseLater(settlement.charge()));
		}
		settlements.forEach((settlement) -> this.rejections.invalidate(settlement.charge().key()));
		return done ? List.of(overruns) : List.of();
	}

	@Override
	public boolean reset(BucketKey key, StoreFailureFlag failureFlag) {
		this.own.reset(LocalFallback.withoutPrefix(key), failureFlag);
		return change(key, ScriptCallFactory.RESET, failureFlag);
	}

	@Override
	public boolean refill(BucketKey key, StoreFailureFlag failureFlag) {
		this.own.refill(LocalFallback.withoutPrefix(key), failureFlag);
		return change(key, ScriptCallFactory.REFILL, failureFlag);
	}

	private boolean change(BucketKey key, byte[] operation, StoreFailureFlag failureFlag) {
		boolean done = runAll(failureFlag, this.redis.calls().of(operation, List.of(key)));
		this.rejections.invalidate(key);
		return done;
	}

	private boolean runAll(StoreFailureFlag failureFlag, List<ScriptCall> all) {
		return this.calls.attempt(failureFlag, (timeout) -> {
			this.redis.run(all, timeout);
			return true;
		});
	}

	@Override
	public boolean resetAll(String rule) {
		this.own.resetAll(rule);
		boolean done = this.calls.attempt(new StoreFailureFlag(), (timeout) -> {
			this.redis.resetAll(rule, Deadline.in(MAX_SCAN, System::nanoTime));
			return true;
		});
		this.rejections.invalidateAll(rule);
		return done;
	}

	@Override
	public Map<BucketKey, Ban> bans(String rule, int most) {
		try {
			return this.calls.run(new StoreFailureFlag(),
					(timeout) -> this.redis.bans(rule, most, Deadline.in(MAX_SCAN, System::nanoTime)));
		}
		catch (StoreFailure ex) {
			return this.own.bans(rule, most);
		}
	}

	@Override
	public List<PermitHolder> holders(BucketKey key) {
		try {
			BucketSnapshot bucket = this.calls
				.run(new StoreFailureFlag(), (timeout) -> this.redis.peek(List.of(key), timeout))
				.get(0);
			return bucket.holders().stream().map((holder) -> PermitHolder.of(holder, bucket.now())).toList();
		}
		catch (StoreFailure ex) {
			return this.own.holders(key);
		}
	}

	@Override
	public boolean release(BucketKey key, String holder) {
		Long id = PermitHolder.number(holder);
		return id != null && (this.calls.attempt(new StoreFailureFlag(), (timeout) -> this.holders.release(key, id))
				|| this.own.release(key, holder));
	}

	@Override
	public boolean supports(Algorithm algorithm) {
		return true;
	}

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public StoreStatus status() {
		boolean answers = true;
		for (ScriptCall probe : this.redis.probes()) {
			answers &= runAll(new StoreFailureFlag(), List.of(probe));
		}
		CircuitBreakers breakers = this.redis.breakers();
		return new StoreStatus(answers && breakers.areClosed(), this.settings.onStoreFailure(), breakers.states(),
				this.outage.lastFailure(), this.localShare.get());
	}

	@Override
	public int size() {
		return this.own.size();
	}

	@Override
	public long evictions() {
		return this.own.evictions();
	}

	@Override
	public long overflows() {
		return this.own.overflows();
	}

	private void warnOfForeignValue(String rule) {
		this.foreignValues.warn("A Redis key of rule '" + rule
				+ "' does not contain a bucket and will be overwritten. Further such keys of the rule are not logged. "
				+ "Set tierlimit.redis.key-prefix to a prefix that no other software uses.");
	}

	/**
	 * Counts this instance as one of the instances that share the buckets, unless it is
	 * already counted, or its share is {@link RedisStoreSettings#localShare() fixed}. The
	 * constructor calls this method.
	 */
	public void join() {
		this.renewals.start();
	}

	/**
	 * Stops counting this instance. If Redis replies, this takes effect at once, and the
	 * other instances enforce larger shares after about 30 seconds. {@link #close()}
	 * calls this method. Call it earlier if the connections close before the store.
	 */
	public void leave() {
		this.renewals.stop();
	}

	@Override
	public void close() {
		leave();
		this.client.close();
	}

}

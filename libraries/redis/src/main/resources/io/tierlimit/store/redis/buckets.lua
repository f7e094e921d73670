-- Buckets in Redis. Twin of the limits in io.tierlimit.limit: change both or neither.
--
-- KEYS     the buckets
-- ARGV[1]  'acquire' consumes permits from all buckets of a request if every enforced charge is allowed,
--                    otherwise from none
--          'peek'    changes nothing
--          'settle'  replaces the costs of charges by their actual costs, bucket by bucket
--          'restore' stores the value before a charge if the bucket has not changed since; otherwise refunds
--          'reset'   resets the buckets, and lifts their bans
--          'refill'  resets the buckets, and keeps their bans
--          'renew'   moves the ends of holders that are still there
-- ARGV[2]  for acquire, settle and restore: 1 byte, and a charge for each bucket. The byte is 1 if all charges
--          are plain: enforced, on a token bucket, without overdraft or receipt; otherwise it is 0. A plain
--          charge consists of the rate's permits, its period in ticks, the capacity, and the cost. A charge that is
--          not plain begins with the mark of its algorithm. After the cost, it has the phase of the windows, 1 if
--          the charge is enforced or 0 if it is in shadow mode, the permits and the ticks of the overdraft, and
--          the timestamp and the count of the charge's receipt. For settle and restore, the 1 or 0 is whether the
--          bucket may owe permits to reservations, and the permits that it may owe and the actual cost replace the
--          overdraft. With the algorithm concurrency, the 8 bytes of the
--          timestamp are the id of the holder, and the period is the time from now to its end. 2 is added to the
--          byte if any bucket can be banned. Each charge then ends with the number of rejections that start a ban
--          (0: never), the ticks of the time in which they must occur (0: this rejection is not counted), the
--          ticks of the first ban, and the ticks of the longest ban
-- ARGV[3]  and following, for restore: for each bucket, the value that was stored after the charge, and the
--          value before the charge ('' for none)
-- ARGV[2]  and following, for renew: for each bucket, the holders: 8 bytes for the id, 7 bytes for the ticks from now
--          to the end
-- ARGV[3]  and following, for acquire: the charges of further requests on the next buckets. The requests are
--          decided one after the other, as if each request were a separate call
--
-- Returns the timestamp in ticks. For each request, a result follows: 1 if the request is admitted, 0 if it is
-- rejected, -1 if it is rejected and its rejection could not be counted for bans, or the error of Redis that
-- prevented its writes. After the result, for each bucket of the request, follows the value that was stored before
-- the call: its packed state (without holders), nil for a full bucket that is not stored, or 0 for a foreign value. A
-- peek returns packed states with their holders. Operations other
-- than acquire return one result. For renew, the ids of the missing holders replace the value of each bucket.
--
-- A tick is a microsecond. All numbers are whole and below 2^53, where doubles are exact. The timestamp
-- of a missing receipt is -2^63.
--
-- Redis runs the whole script for each call, from its first line, and creates its functions and tables each time.
-- Therefore acquire_plain comes first, and the functions of an algorithm are created only if a bucket has it.

local TOKEN_BUCKET = 1    -- marks of algorithms
local FIXED_WINDOW = 2
local SLIDING_WINDOW = 3
local SLIDING_LOG = 4
local LEAKY_BUCKET = 5
local CONCURRENCY = 6
local LAST_MARK = CONCURRENCY
local PLAIN = '>I5I7I5I6'
local PLAIN_SIZE = 23
local CHARGE = '>BI5I7I5I6I7BI5I7i8I7'
local CHARGE_SIZE = 59
local BAN = '>I5I7I7I7'   -- after, within, duration, max; follows the charge
local BAN_SIZE = 26
-- mark, consumed, debt, earned, previous, period, updated at, counted from, charged, permits; then the entries of a log,
-- or the holders of permits
local STATE = '>BI8I8I8I8I8I8I8I8I8'
local SIZE = 73
-- WITH_BANS is added to the mark if these follow the state: rejections, since, number of bans, ends, expires
local WITH_BANS = 128
local BANS = '>I8I8I8I8I8'
local BANS_SIZE = 40
local ENTRY = '>I8I2'     -- timestamp, permits
local ENTRY_SIZE = 10
local HOLDER = '>c8I8I8I2' -- id, since, ends, permits
local HOLDER_SIZE = 26
local RENEWED = '>c8I7'    -- id, ticks from now to the end
local RENEWED_SIZE = 15
local HOLDER_ID = 44      -- the bytes of a charge before the id of its holder
local HOLDER_LIFE = 30000000 -- ticks, as Renewals.LIFE; no holder ends later, even if the clock has stepped back
local MAX_PERMITS = 1000000000000
local LONGEST = 315360000000000 -- 3,650 days in ticks
local EXACT = 2 ^ 53      -- up to this, doubles represent all whole numbers
local NONE = -2 ^ 63      -- a timestamp before all others
local MAX_CHARGED = 2 ^ 52
local VOID = 2 ^ 42       -- a receipt is void after so many permits
local MARGIN = 1000       -- milliseconds for which a full bucket stays stored, in case the clock steps back

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local operation = ARGV[1]
local reply = { now, 1 }
-- The request that is decided next: the index of its argument, of its first key, and of its result in the reply.
local request, first, result = 2, 1, 2

-- The straight path of nearly all calls: plain charges on buckets that were last written by token buckets of the same
-- rate. It has the arithmetic of the general path below for this case, in one loop: there is no other algorithm, no
-- debt, no receipt, no change of the rate, and no rejection that is counted for a ban. All products are below 2^53,
-- so that doubles are exact. Returns false for any other bucket, before anything is written. The general path then
-- decides.
local function acquire_plain()
	local charges = ARGV[request]
	local kind = string.byte(charges)
	if kind ~= 1 and kind ~= 3 then
		return false
	end
	local unused = (kind == 3) and BAN_SIZE or 0
	local count, admitted, writes, place = (#charges - 1) / (PLAIN_SIZE + unused), 1, {}, 2
	for i = 1, count do
		local value = redis.pcall('GET', KEYS[first + i - 1])
		local permits, period, capacity, cost
		permits, period, capacity, cost, place = struct.unpack(PLAIN, charges, place)
		place = place + unused
		local consumed, earned, updated_at, counted_from, charged = 0, 0, now, NONE, 0
		if value then
			if #value ~= SIZE then
				return false
			end
			local mark, debt, previous, period_before, permits_before
			mark, consumed, debt, earned, previous, period_before, updated_at, counted_from, charged, permits_before =
				struct.unpack(STATE, value)
			local product = (updated_at < now) and (now - updated_at) * permits + earned or earned
			if mark ~= TOKEN_BUCKET or permits_before ~= permits or period_before ~= period or consumed > capacity
				or debt > 0 or previous > 0 or earned >= period or updated_at > EXACT or counted_from > EXACT
				or charged + cost > MAX_CHARGED or product >= EXACT then
				return false
			end
			earned = product % period
			consumed = consumed - (product - earned) / period
			if consumed <= 0 then
				consumed, earned = 0, 0
			end
			updated_at = (updated_at < now) and now or updated_at
		end
		reply[result + i] = value
		if cost > capacity - consumed and cost > 0 then
			if kind == 3 then
				return false
			end
			admitted = 0
		elseif admitted == 1 then
			if consumed == 0 and updated_at > counted_from then
				counted_from, charged = updated_at, 0
			end
			consumed = consumed + cost
			writes[2 * i - 1] = struct.pack(STATE, TOKEN_BUCKET, consumed, 0, earned, 0, period, updated_at, counted_from,
				charged + cost, permits)
			-- Whole milliseconds, rounded up. The margin is larger than any error of the product.
			local expiry = (consumed * period - earned) / permits / 1000
			writes[2 * i] = expiry + -expiry % 1 + MARGIN
		end
	end
	for i = 1, admitted * count do
		local failure = redis.pcall('SET', KEYS[first + i - 1], writes[2 * i - 1], 'PX', writes[2 * i]).err
		if failure then
			admitted = failure
			break
		end
	end
	reply[result] = admitted
	request, first, result = request + 1, first + count, result + 1 + count
	return true
end

if operation == 'acquire' then
	while first <= #KEYS and acquire_plain() do
	end
	if first > #KEYS then
		return reply
	end
end

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max

-- a * b == high + low, exactly (Dekker, 1971).
local function product(a, b)
	local high = a * b
	local c = 134217729 * a
	local a_high = c - (c - a)
	local a_low = a - a_high
	c = 134217729 * b
	local b_high = c - (c - b)
	local b_low = b - b_high
	return high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low
end

-- Twin of WideDivision.floor: (a * b + addend) / divisor, and the remainder.
local function divide(a, b, addend, divisor)
	local dividend = a * b + addend
	local quotient = floor(dividend / divisor)
	if a * b < EXACT and dividend < EXACT then
		return quotient, dividend - quotient * divisor
	end
	local high, low = product(a, b)
	local estimate_high, estimate_low = product(quotient, divisor)
	local remainder = (high - estimate_high) + (low - estimate_low) + addend
	if remainder < 0 then
		return quotient - 1, remainder + divisor
	elseif remainder >= divisor then
		return quotient + 1, remainder - divisor
	end
	return quotient, remainder
end

-- Exact, because the quotient is far below 2^53.
local function window(bucket, instant)
	return floor((instant - bucket.phase) / bucket.period)
end

local function elapsed_in_window(bucket)
	return bucket.updated_at - (window(bucket, bucket.updated_at) * bucket.period + bucket.phase)
end

-- Restarts the count of charges, because earlier charges no longer affect the bucket.
local function start_count(bucket)
	if bucket.updated_at > bucket.counted_from then
		bucket.counted_from, bucket.charged = bucket.updated_at, 0
	end
end

-- Makes all receipts void, including receipts with the current timestamp.
local function void_receipts(bucket)
	bucket.counted_from, bucket.charged = bucket.updated_at, bucket.charged + VOID
	if bucket.charged > MAX_CHARGED then
		bucket.counted_from, bucket.charged = bucket.updated_at + 1, 0
	end
end

-- Counts a charge that has just been acquired.
local function count_charge(bucket)
	if bucket.cost > MAX_CHARGED - bucket.charged then
		void_receipts(bucket)
	else
		bucket.charged = bucket.charged + bucket.cost
	end
end

-- Twin of Remainder.less.
local function less(permits, lacking, fewer)
	if permits > fewer then
		return permits - fewer, lacking
	end
	return 0, 0
end

-- Twin of Remainder.atMost.
local function at_most(permits, lacking, most)
	if permits > most then
		return most, 0
	end
	return permits, lacking
end

-- Twin of EarningLimit.
local function earning_limit()
	local function ticks_until(bucket, permits, earned)
		return permits == 0 and 0 or (divide(permits, bucket.period, bucket.permits - 1 - earned, bucket.permits))
	end
	return {
		ticks_until = ticks_until,
		max_debt = function(bucket, debt)
			return min(debt, (divide(LONGEST, bucket.permits, 0, bucket.period)))
		end,
		remainder = function(bucket)
			local elapsed = bucket.updated_at - bucket.receipt_at
			if elapsed * bucket.permits / bucket.period >= bucket.cost + 1 then
				return 0, 0
			end
			local earned, fraction = divide(elapsed, bucket.permits, 0, bucket.period)
			if earned < bucket.cost then
				return bucket.cost - earned, fraction
			end
			return 0, 0
		end,
		refill = function(bucket, consumed, earned, updated_at, instant)
			local elapsed = instant - updated_at
			if consumed > 0 and elapsed > 0 then
				if elapsed >= ticks_until(bucket, consumed, earned) then
					consumed = 0
				else
					local back
					back, earned = divide(elapsed, bucket.permits, earned, bucket.period)
					consumed = consumed - back
				end
			end
			return consumed, (consumed == 0) and 0 or earned
		end,
	}
end

-- Twin of FixedWindow.
local function fixed_window()
	local function windows_for(bucket, permits)
		return ceil(permits / bucket.permits)
	end
	return {
		ticks_until = function(bucket, permits)
			return permits == 0 and 0 or windows_for(bucket, permits) * bucket.period - elapsed_in_window(bucket)
		end,
		max_debt = function(bucket, debt)
			return min(debt, floor(LONGEST / bucket.period) * bucket.permits)
		end,
		remainder = function(bucket)
			local windows = window(bucket, bucket.updated_at) - window(bucket, bucket.receipt_at)
			return (windows >= windows_for(bucket, bucket.cost)) and 0 or bucket.cost - windows * bucket.permits, 0
		end,
		refill = function(bucket, consumed, _, updated_at, instant)
			if consumed > 0 and instant > updated_at then
				local windows = window(bucket, instant) - window(bucket, updated_at)
				consumed = (windows >= windows_for(bucket, consumed)) and 0 or consumed - windows * bucket.permits
			end
			return consumed, 0
		end,
	}
end

-- The functions of every algorithm: 'advance' updates the stored state to the current time, and checks
-- whether the state continues under the same limit; 'allows' checks whether the bucket has enough permits for its
-- cost; 'consume', 'add' (a refund without a receipt) and 'refund' (a refund with a receipt) change the state;
-- 'most' is what a settlement leaves consumed; 'ticks_to_full' determines how long the state is stored. The algorithm
-- concurrency has 'release' instead of 'add' and 'refund', because its receipt is the id of a holder. Twin of
-- ReservableLimit: consumed includes the debt.
local function reservable(refilling)
	local function debt(bucket)
		return max(0, bucket.consumed - bucket.capacity)
	end

	-- The permits that a refund of the charge returns: the bucket then has what it would have without the charge.
	local function difference(bucket)
		local later = bucket.charged - bucket.receipt_charged
		if later == 0 then
			return at_most(bucket.consumed, bucket.earned, bucket.cost)
		end
		local missing, lacking, kept = bucket.consumed, bucket.earned, bucket.reserved and debt(bucket) or 0
		if kept > 0 then
			missing, lacking = bucket.capacity, 0
		end
		missing, lacking = less(missing, lacking, later)
		missing, lacking = at_most(missing, lacking, bucket.cost)
		local not_refilled, fraction = refilling.remainder(bucket)
		not_refilled, fraction = less(not_refilled, fraction, min(later, kept))
		if missing > not_refilled or missing == not_refilled and lacking < fraction then
			return missing, lacking
		end
		return not_refilled, fraction
	end

	return {
		is_reservable = true,
		advance = function(bucket)
			local consumed, earned = bucket.consumed, bucket.earned
			if consumed > bucket.capacity then
				consumed, earned = bucket.capacity, 0
			end
			if bucket.debt > 0 then
				local debt = refilling.max_debt(bucket, bucket.debt)
				consumed, earned = consumed + debt, (debt == bucket.debt) and earned or 0
			end
			if bucket.period_before ~= bucket.period then
				earned = divide(earned, bucket.period, 0, bucket.period_before)
			end
			bucket.continues = bucket.period_before == bucket.period and bucket.permits_before == bucket.permits
				and bucket.consumed + bucket.debt == consumed
			bucket.consumed, bucket.earned = refilling.refill(bucket, consumed, earned, bucket.updated_before, now)
			bucket.previous = 0
		end,
		allows = function(bucket)
			local lacking = bucket.cost - (bucket.capacity - bucket.consumed)
			return lacking <= 0 or lacking <= bucket.overdraft_permits
				and refilling.ticks_until(bucket, lacking, bucket.earned) <= bucket.overdraft_ticks
		end,
		consume = function(bucket)
			if bucket.consumed == 0 then
				start_count(bucket)
			end
			bucket.consumed = bucket.consumed + bucket.cost
		end,
		add = function(bucket)
			bucket.consumed = max(0, bucket.consumed - max(0, bucket.cost - debt(bucket)))
			bucket.earned = (bucket.consumed == 0) and 0 or bucket.earned
		end,
		most = function(bucket, max_debt)
			return bucket.capacity + refilling.max_debt(bucket, max_debt)
		end,
		refund = function(bucket)
			local back, lacking = difference(bucket)
			local borrow = (bucket.earned < lacking) and 1 or 0
			bucket.consumed = max(0, bucket.consumed - back + borrow)
			bucket.earned = (bucket.consumed == 0) and 0 or bucket.earned - lacking + borrow * bucket.period
		end,
		ticks_to_full = function(bucket)
			return refilling.ticks_until(bucket, bucket.consumed, bucket.earned)
		end,
	}
end

-- Twin of SlidingWindow.
local function sliding_window()
	return {
		advance = function(bucket)
			local consumed, previous = bucket.consumed, bucket.previous
			bucket.continues = bucket.period_before == bucket.period and consumed <= bucket.capacity
				and previous <= bucket.capacity
			if bucket.period_before ~= bucket.period then
				consumed, previous = consumed + previous, 0
			end
			consumed, previous = min(consumed, bucket.capacity), min(previous, bucket.capacity)
			local windows = window(bucket, bucket.updated_at) - window(bucket, bucket.updated_before)
			if windows == 1 then
				consumed, previous = 0, consumed
			elseif windows > 1 then
				consumed, previous = 0, 0
			end
			bucket.consumed, bucket.previous, bucket.earned = consumed, previous, 0
		end,
		allows = function(bucket)
			local weighted = divide(bucket.previous, bucket.period - elapsed_in_window(bucket), bucket.period - 1,
				bucket.period)
			return bucket.cost <= bucket.capacity - bucket.consumed - weighted
		end,
		consume = function(bucket)
			if bucket.consumed == 0 and bucket.previous == 0 then
				start_count(bucket)
			end
			bucket.consumed = bucket.consumed + bucket.cost
		end,
		add = function(bucket)
			local from_present = min(bucket.consumed, bucket.cost)
			bucket.consumed = bucket.consumed - from_present
			bucket.previous = bucket.previous - min(bucket.previous, bucket.cost - from_present)
		end,
		refund = function(bucket)
			local windows = window(bucket, bucket.updated_at) - window(bucket, bucket.receipt_at)
			if windows == 0 then
				bucket.consumed = bucket.consumed - min(bucket.consumed, bucket.cost)
			elseif windows == 1 then
				bucket.previous = bucket.previous - min(bucket.previous, bucket.cost)
			end
		end,
		ticks_to_full = function(bucket)
			if bucket.consumed == 0 and bucket.previous == 0 then
				return 0
			end
			return bucket.period * (bucket.consumed > 0 and 2 or 1) - elapsed_in_window(bucket)
		end,
	}
end

-- Twin of SlidingLog.
local function sliding_log()
	local function entry_at(log, place)
		return struct.unpack(ENTRY, log, place)
	end

	local function last_place(log)
		return #log - ENTRY_SIZE + 1
	end

	-- Removes permits from the entry at a position, up to a cost. Twin of ConsumptionLog.removeAt.
	local function remove_at(bucket, place, cost)
		local instant, permits = entry_at(bucket.log, place)
		local removed = min(permits, cost)
		local rest = (removed < permits) and struct.pack(ENTRY, instant, permits - removed) or ''
		bucket.log = string.sub(bucket.log, 1, place - 1) .. rest .. string.sub(bucket.log, place + ENTRY_SIZE)
		bucket.consumed = bucket.consumed - removed
		return removed
	end

	return {
		advance = function(bucket)
			bucket.continues = bucket.period_before == bucket.period
			local expired = bucket.updated_at - bucket.period
			local consumed, place = bucket.consumed, 1
			while place <= #bucket.log do
				local instant, permits = entry_at(bucket.log, place)
				if instant > expired then
					break
				end
				consumed, place = consumed - permits, place + ENTRY_SIZE
			end
			bucket.log = string.sub(bucket.log, place)
			bucket.consumed, bucket.previous, bucket.earned = max(0, consumed), 0, 0
		end,
		allows = function(bucket)
			return bucket.cost <= bucket.capacity - bucket.consumed
		end,
		consume = function(bucket)
			if bucket.consumed == 0 then
				start_count(bucket)
			end
			if bucket.cost > 0 then
				local last, permits, before = NONE, 0, bucket.log
				if #before > 0 then
					last, permits = entry_at(before, last_place(before))
				end
				if last == bucket.updated_at then
					before = string.sub(before, 1, -ENTRY_SIZE - 1)
				else
					permits = 0
				end
				bucket.log = before .. struct.pack(ENTRY, bucket.updated_at, permits + bucket.cost)
				bucket.consumed = bucket.consumed + bucket.cost
			end
		end,
		add = function(bucket)
			local place, cost = last_place(bucket.log), bucket.cost
			while place > 0 and cost > 0 do
				cost = cost - remove_at(bucket, place, cost)
				place = last_place(bucket.log)
			end
		end,
		refund = function(bucket)
			local place = last_place(bucket.log)
			while place > 0 and entry_at(bucket.log, place) > bucket.receipt_at do
				place = place - ENTRY_SIZE
			end
			if place > 0 and entry_at(bucket.log, place) == bucket.receipt_at then
				remove_at(bucket, place, bucket.cost)
			end
		end,
		ticks_to_full = function(bucket)
			if bucket.log == '' then
				return 0
			end
			return entry_at(bucket.log, last_place(bucket.log)) + bucket.period - bucket.updated_at
		end,
	}
end

-- Twin of Concurrency. The stored numbers contain the permits in use (consumed), and the ticks from the last update to
-- the earliest end of a holder (previous). Until then, no holder has to be read. A release does not change this end.
local function concurrency()
	local function find(bucket)
		local place = string.find(bucket.log, bucket.holder, 1, true)
		while place and (place - 1) % HOLDER_SIZE > 0 do
			place = string.find(bucket.log, bucket.holder, place + 1, true)
		end
		return place
	end

	local function permits_at(bucket, place)
		local _, _, _, permits = struct.unpack(HOLDER, bucket.log, place)
		return permits
	end

	-- Removes the holders that have ended.
	local function scan(bucket)
		local holders, in_use, earliest = {}, 0, now + HOLDER_LIFE
		for place = 1, #bucket.log, HOLDER_SIZE do
			local id, since, stored, permits = struct.unpack(HOLDER, bucket.log, place)
			local ends = min(stored, now + HOLDER_LIFE)
			if ends > now then
				holders[#holders + 1] = struct.pack(HOLDER, id, since, ends, permits)
				in_use, earliest = in_use + permits, min(earliest, ends)
			end
		end
		bucket.log = table.concat(holders)
		bucket.consumed, bucket.previous = in_use, (in_use > 0) and earliest - now or 0
	end

	return {
		advance = function(bucket)
			local earliest = bucket.updated_before + bucket.previous
			if bucket.log == '' then
				bucket.consumed, bucket.previous = 0, 0
			elseif bucket.updated_before <= now and now < earliest then
				bucket.previous = earliest - now
			else
				scan(bucket)
			end
			bucket.updated_at, bucket.earned, bucket.continues = now, 0, true
		end,
		-- A call that is sent twice finds its own holder, which is not counted again.
		allows = function(bucket)
			bucket.own = find(bucket)
			bucket.others = bucket.consumed - (bucket.own and permits_at(bucket, bucket.own) or 0)
			return bucket.cost <= bucket.capacity - bucket.others
		end,
		consume = function(bucket)
			if bucket.others == 0 then
				start_count(bucket)
			end
			if bucket.cost > 0 and not bucket.own then
				bucket.log = bucket.log .. struct.pack(HOLDER, bucket.holder, now, now + bucket.period, bucket.cost)
				bucket.previous = (bucket.consumed > 0) and min(bucket.previous, bucket.period) or bucket.period
				bucket.consumed = bucket.consumed + bucket.cost
			end
		end,
		release = function(bucket)
			local place = find(bucket)
			if place then
				local id, since, ends, permits = struct.unpack(HOLDER, bucket.log, place)
				local rest = (permits > bucket.cost) and struct.pack(HOLDER, id, since, ends, permits - bucket.cost) or ''
				bucket.log = string.sub(bucket.log, 1, place - 1) .. rest .. string.sub(bucket.log, place + HOLDER_SIZE)
				bucket.consumed = bucket.consumed - min(permits, bucket.cost)
			end
			return place
		end,
		-- The reply to an acquisition: the permits in use, without the holders.
		summary = function(bucket)
			return struct.pack(STATE, CONCURRENCY, bucket.others, 0, 0, 0, 1, now, now, 0, bucket.permits)
		end,
		ticks_to_full = function(bucket)
			return (bucket.log == '') and 0 or HOLDER_LIFE
		end,
	}
end

local algorithms = {}

-- The functions of an algorithm. They are created for the first bucket that has the algorithm.
local function algorithm(mark)
	if not algorithms[mark] then
		if mark == SLIDING_WINDOW then
			algorithms[mark] = sliding_window()
		elseif mark == SLIDING_LOG then
			algorithms[mark] = sliding_log()
		elseif mark == CONCURRENCY then
			algorithms[mark] = concurrency()
		else
			algorithms[mark] = reservable((mark == FIXED_WINDOW) and fixed_window() or earning_limit())
		end
	end
	return algorithms[mark]
end

local function charge_size()
	local kind = string.byte(ARGV[request])
	return ((kind % 2 == 1) and PLAIN_SIZE or CHARGE_SIZE) + (kind > 1 and BAN_SIZE or 0)
end

-- A bucket of the request with its arguments. It is full until its stored state is read.
local function bucket_at(i)
	local mark, phase, enforced, overdraft_permits, overdraft_ticks, receipt_at, receipt_charged =
		TOKEN_BUCKET, 0, 1, 0, 0, NONE, 0
	local permits, period, capacity, cost
	local kind, place = string.byte(ARGV[request]), 2 + (i - 1) * charge_size()
	local holder = string.sub(ARGV[request], place + HOLDER_ID, place + HOLDER_ID + 7)
	if kind % 2 == 1 then
		permits, period, capacity, cost, place = struct.unpack(PLAIN, ARGV[request], place)
	else
		mark, permits, period, capacity, cost, phase, enforced, overdraft_permits, overdraft_ticks, receipt_at,
			receipt_charged, place = struct.unpack(CHARGE, ARGV[request], place)
	end
	local after, within, duration, longest = 0, 0, 0, 0
	if kind > 1 then
		after, within, duration, longest = struct.unpack(BAN, ARGV[request], place)
	end
	return {
		key = KEYS[first + i - 1],
		mark = mark,
		algorithm = algorithm(mark),
		permits = permits,
		period = period,
		capacity = capacity,
		phase = phase,
		cost = cost,
		enforced = enforced == 1,
		reserved = enforced == 1,
		overdraft_permits = overdraft_permits,
		overdraft_ticks = overdraft_ticks,
		receipt_at = receipt_at,
		receipt_charged = receipt_charged,
		holder = holder,
		consumed = 0,
		debt = 0,
		earned = 0,
		previous = 0,
		log = '',
		updated_at = now,
		period_before = period,
		permits_before = permits,
		updated_before = now,
		counted_from = NONE,
		charged = 0,
		ban_after = after,
		ban_within = within,
		ban_duration = duration,
		ban_max = longest,
	}
end

-- Returns the stored value, or nil, and whether the key has a value of another type.
local function get(key)
	local value = redis.pcall('GET', key)
	if type(value) == 'table' then
		if string.find(value.err, 'WRONGTYPE', 1, true) then
			return nil, true
		end
		return redis.call('GET', key)
	end
	return value or nil, false
end

-- Sets a bucket's state to a stored value. Returns the mark of the algorithm that has stored the value, or nil if
-- the value is not a bucket. If another algorithm has stored the value, the bucket is full.
local function unpack_state(bucket, value)
	if #value < SIZE then
		return nil
	end
	local mark, consumed, debt, earned, previous, period, updated_at, counted_from, charged, permits =
		struct.unpack(STATE, value)
	local log_at, bans = SIZE + 1, nil
	if mark >= WITH_BANS then
		mark, log_at = mark - WITH_BANS, SIZE + BANS_SIZE + 1
		if #value < log_at - 1 then
			return nil
		end
		local rejections, since, number, ends, expires = struct.unpack(BANS, value, SIZE + 1)
		if max(rejections, since, number, ends, expires) > EXACT then
			return nil
		end
		bans = { rejections = rejections, since = since, number = number, ends = ends, expires = expires }
	end
	local entries = (#value - log_at + 1) / ((mark == CONCURRENCY) and HOLDER_SIZE or ENTRY_SIZE)
	if mark < TOKEN_BUCKET or mark > LAST_MARK or max(consumed, debt, previous, permits) > MAX_PERMITS or earned >= period
		or period > EXACT or updated_at > EXACT or counted_from > EXACT or charged > MAX_CHARGED
		or entries ~= floor(entries) or (entries > 0 and mark ~= SLIDING_LOG and mark ~= CONCURRENCY) then
		return nil
	end
	bucket.updated_at, bucket.counted_from, bucket.charged = max(updated_at, now), counted_from, charged
	bucket.bans, bucket.lacks = bans, consumed + debt + previous > 0
	if mark == bucket.mark then
		bucket.consumed, bucket.debt, bucket.earned, bucket.previous = consumed, debt, earned, previous
		bucket.period_before, bucket.permits_before, bucket.updated_before = period, permits, updated_at
		bucket.log = (entries > 0) and string.sub(value, log_at) or ''
	else
		bucket.updated_before = bucket.updated_at
	end
	return mark
end

-- Sets a bucket's state to the stored value, if any. Returns the mark of the algorithm that has stored it, or nil.
local function read(bucket)
	local value, foreign = get(bucket.key)
	local mark = value and unpack_state(bucket, value) or nil
	bucket.stored = (foreign or value and not mark) and 0 or value or false
	return mark
end

-- Reads a bucket, updates it to the current time, and checks whether its receipt is valid.
local function advance(bucket)
	local mark = read(bucket)
	local updated_at = bucket.updated_before
	bucket.known = mark ~= nil
	bucket.algorithm.advance(bucket)
	bucket.continues = bucket.continues and mark == bucket.mark
	bucket.refundable = bucket.continues and bucket.receipt_at >= bucket.counted_from and bucket.receipt_at <= updated_at
		and bucket.receipt_charged <= bucket.charged and bucket.charged - bucket.receipt_charged < VOID
	if not bucket.continues and bucket.consumed + bucket.previous > 0 then
		void_receipts(bucket)
	end
end

-- Stores a value until the bucket is full and its rejections and bans have expired.
local function set(bucket, value, ticks)
	local longer = bucket.bans and max(ticks, bucket.bans.expires - now) or ticks
	local failure = redis.pcall('SET', bucket.key, value, 'PX', ceil(longer / 1000) + MARGIN).err
	reply[result] = failure or reply[result]
	return not failure
end

-- Adds the rejections and bans of a bucket to its packed numbers.
local function with_bans(bucket, numbers)
	local bans = bucket.bans
	if not bans then
		return numbers
	end
	return string.char(string.byte(numbers) % WITH_BANS + WITH_BANS) .. string.sub(numbers, 2)
		.. struct.pack(BANS, bans.rejections, bans.since, bans.number, bans.ends, bans.expires)
end

local function write(bucket)
	local consumed = bucket.algorithm.is_reservable and min(bucket.consumed, bucket.capacity) or bucket.consumed
	local numbers = struct.pack(STATE, bucket.mark, consumed, bucket.consumed - consumed, bucket.earned, bucket.previous,
		bucket.period, bucket.updated_at, bucket.counted_from, bucket.charged, bucket.permits)
	return set(bucket, with_bans(bucket, numbers) .. bucket.log, bucket.algorithm.ticks_to_full(bucket))
end

local function is_banned(bucket)
	return bucket.ban_after > 0 and bucket.bans and now < bucket.bans.ends
end

-- Twin of BucketState.expireBans.
local function expire_bans(bucket)
	if bucket.ban_after > 0 and bucket.bans and now >= bucket.bans.expires then
		bucket.bans = nil
	end
end

-- Twin of BanHistory.count.
local function count_rejection(bucket)
	local bans = bucket.bans or { rejections = 0, since = 0, number = 0, ends = 0, expires = 0 }
	bucket.bans = bans
	if bans.rejections == 0 or now - bans.since >= bucket.ban_within then
		bans.since, bans.rejections = now, 0
	end
	bans.rejections = bans.rejections + 1
	if bans.rejections < bucket.ban_after then
		bans.expires = max(bans.expires, bans.since + bucket.ban_within)
		return
	end
	local in_row = bans.number > 0 and now - bans.ends < bucket.ban_max
	bans.number = in_row and bans.number + 1 or 1
	bans.ends = now + min(bucket.ban_max, bucket.ban_duration * 2 ^ (bans.number - 1))
	bans.rejections, bans.expires = 0, bans.ends + bucket.ban_max
end

-- Stores a bucket that has rejected its charge: counts the rejection, and does not change anything else.
local function write_rejection(bucket)
	expire_bans(bucket)
	count_rejection(bucket)
	local numbers, log
	if bucket.known then
		numbers = string.sub(bucket.stored, 1, SIZE)
		log = string.sub(bucket.stored, (string.byte(numbers) < WITH_BANS) and SIZE + 1 or SIZE + BANS_SIZE + 1)
	else
		numbers, log = struct.pack(STATE, bucket.mark, 0, 0, 0, 0, 1, 0, 0, 0, 0), ''
	end
	return set(bucket, with_bans(bucket, numbers) .. log, bucket.algorithm.ticks_to_full(bucket))
end

-- Twin of ReservableLimit.consumeUnderAnotherLimit.
local function consume_under_another_limit(bucket, cost, most)
	local mark, consumed, debt, earned, previous, period, updated_at, counted_from, charged, permits =
		struct.unpack(STATE, bucket.stored)
	bucket.cost = min(cost, max(0, most - consumed - debt))
	if mark % WITH_BANS ~= bucket.mark or bucket.cost == 0 then
		return
	end
	bucket.updated_at, bucket.counted_from, bucket.charged = updated_at, counted_from, charged
	count_charge(bucket)
	local numbers = struct.pack(STATE, mark, consumed, debt + bucket.cost, earned, previous, period, updated_at,
		bucket.counted_from, bucket.charged, permits)
	bucket.consumed, bucket.earned = consumed + debt + bucket.cost, earned
	bucket.period, bucket.permits = period, permits
	set(bucket, numbers .. string.sub(bucket.stored, SIZE + 1), bucket.algorithm.ticks_to_full(bucket))
end

-- Consumes further permits until the bucket owes max_debt.
local function consume_more(bucket, cost, max_debt)
	local most = bucket.algorithm.most(bucket, max_debt)
	if bucket.known and not bucket.continues and bucket.lacks then
		return consume_under_another_limit(bucket, cost, most)
	end
	bucket.cost = min(cost, max(0, most - bucket.consumed))
	if bucket.cost > 0 then
		bucket.algorithm.consume(bucket)
		count_charge(bucket)
		write(bucket)
	end
end

-- Returns the permits of the charge that were not used, or consumes the permits that were used in addition. Algorithms
-- without 'most' only return whole charges.
local function settle(bucket)
	local max_debt, actual = bucket.overdraft_permits, bucket.overdraft_ticks
	if bucket.mark == CONCURRENCY then
		if actual == 0 and bucket.algorithm.release(bucket) then
			write(bucket)
		end
	elseif actual > bucket.cost then
		consume_more(bucket, actual - bucket.cost, max_debt)
	elseif actual == 0 or actual < bucket.cost then
		bucket.cost = bucket.cost - actual
		if bucket.known and bucket.receipt_at == NONE then
			bucket.algorithm.add(bucket)
			write(bucket)
		elseif bucket.refundable then
			bucket.algorithm.refund(bucket)
			write(bucket)
		end
	end
end

-- Moves the ends of holders. A holder that has ended, or was released, does not hold its permits again.
local function renew(key, renewed)
	local bucket = { key = key, mark = CONCURRENCY, algorithm = algorithm(CONCURRENCY), capacity = 0, log = '',
		consumed = 0, previous = 0, updated_at = now, updated_before = now }
	read(bucket)
	local lives, holders, missing = {}, {}, {}
	for place = 1, #renewed, RENEWED_SIZE do
		local id, life = struct.unpack(RENEWED, renewed, place)
		lives[id] = life
	end
	for place = 1, #bucket.log, HOLDER_SIZE do
		local id, since, ends, permits = struct.unpack(HOLDER, bucket.log, place)
		if lives[id] and ends > now then
			ends, lives[id] = now + lives[id], nil
		end
		holders[#holders + 1] = struct.pack(HOLDER, id, since, ends, permits)
	end
	if #holders > 0 then
		-- The earliest end is not known, so all holders are read again.
		bucket.log, bucket.previous = table.concat(holders), 0
		bucket.algorithm.advance(bucket)
		bucket.period, bucket.permits = bucket.period_before, bucket.permits_before
		write(bucket)
	end
	for id in pairs(lives) do
		missing[#missing + 1] = id
	end
	return table.concat(missing)
end

-- Decides the request, as acquire_plain does for common requests.
local function acquire()
	local count, buckets = (#ARGV[request] - 1) / charge_size(), {}
	reply[result] = 1
	for i = 1, count do
		local bucket = bucket_at(i)
		advance(bucket)
		bucket.allowed = bucket.algorithm.allows(bucket)
		bucket.allowed = bucket.cost == 0 or bucket.allowed and not is_banned(bucket)
		if bucket.enforced and not bucket.allowed then
			reply[result] = 0
		end
		reply[result + i] = bucket.known and bucket.algorithm.summary and bucket.algorithm.summary(bucket)
			or bucket.stored
		buckets[i] = bucket
	end
	local admitted = reply[result] == 1
	for i = 1, count do
		local bucket, written = buckets[i], true
		if not bucket.allowed and bucket.ban_within > 0 and not is_banned(bucket) then
			written = write_rejection(bucket)
		elseif bucket.allowed and admitted then
			bucket.algorithm.consume(bucket)
			count_charge(bucket)
			expire_bans(bucket)
			written = write(bucket)
		end
		if not written then
			-- If the write fails, a rejected request is still rejected.
			reply[result] = admitted and reply[result] or -1
			break
		end
	end
	request, first, result = request + 1, first + count, result + 1 + count
end

if operation == 'acquire' then
	repeat
		if not acquire_plain() then
			acquire()
		end
	until first > #KEYS
elseif operation == 'peek' then
	for i = 1, #KEYS do
		local bucket = { key = KEYS[i] }
		read(bucket)
		reply[i + 2] = bucket.stored
	end
elseif operation == 'reset' or operation == 'refill' then
	for i = 1, #KEYS do
		local bucket = { key = KEYS[i] }
		local mark = read(bucket)
		if mark then
			void_receipts(bucket)
			if operation == 'reset' then
				bucket.bans = nil
			end
			local numbers = struct.pack(STATE, mark, 0, 0, 0, 0, 1, bucket.updated_at, bucket.counted_from,
				bucket.charged, 0)
			set(bucket, with_bans(bucket, numbers), 0)
		end
		reply[i + 2] = bucket.stored
	end
elseif operation == 'renew' then
	for i = 1, #KEYS do
		reply[i + 2] = renew(KEYS[i], ARGV[1 + i])
	end
else
	for i = 1, #KEYS do
		local bucket = bucket_at(i)
		local after, before = ARGV[1 + 2 * i], ARGV[2 + 2 * i]
		advance(bucket)
		reply[i + 2] = bucket.stored
		if operation == 'settle' or bucket.stored ~= after then
			settle(bucket)
		elseif before == '' then
			redis.call('DEL', bucket.key)
		else
			-- The expiry may remain, because the bucket is full no later than it would be after the charge.
			redis.call('SET', bucket.key, before, 'KEEPTTL')
		end
	end
end

return reply

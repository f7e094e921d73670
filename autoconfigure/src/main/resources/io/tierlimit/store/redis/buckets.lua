-- Buckets in Redis. Twin of the limits in io.tierlimit.limit: change both or neither.
--
-- KEYS     the buckets
-- ARGV[1]  'acquire' takes from all buckets, if every enforced one has enough, or from none
--          'peek'    changes nothing
--          'refund'  gives back, bucket by bucket
--          'undo'    makes it as if a taking had not been, if nobody has acted since; else gives back
--          'reset'   makes them full
-- ARGV[2]  and on, for acquire, refund and undo, for every bucket: the algorithm's mark, the rate's
--          permits, its period in ticks, the capacity, the phase of its windows, the cost, 1 if the
--          charge is enforced, 0 if it is a shadow, and how many permits can be reserved within how
--          many ticks; then for refund and undo, for every bucket, the moment since when the charge
--          counts; then for undo, for every bucket, what was stored after the taking, and before
--          ('' for nothing)
--
-- Answers 1 if the request is admitted, else 0; the moment in ticks; and for every bucket what was
-- stored before: its packed state, nil for a full one that is not stored, 0 for what is not ours.
--
-- A tick is a microsecond. All numbers are whole and below 2^53, where doubles are exact; the moment
-- that nobody knows is -2^63.

local TOKEN_BUCKET = 1    -- marks of algorithms: whose state it is
local FIXED_WINDOW = 2
local SLIDING_WINDOW = 3
local SLIDING_LOG = 4
local LEAKY_BUCKET = 5
local ARGUMENTS = 9       -- for every bucket
local FORMAT = '>BI8I8I8I8I8I8' -- mark, spent, owed, earned, previous, period, as of; a log's entries follow
local SIZE = 49
local ENTRY = '>I8I2'     -- moment, permits
local ENTRY_SIZE = 10
local MAX_PERMITS = 1000000000000
local LONGEST = 315360000000000 -- 3,650 days in ticks
local MAX_TICKS = 2 ^ 53
local UNKNOWN = -2 ^ 63
local MARGIN = 1000       -- milliseconds that a full bucket is kept, should the clock step back

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

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
	local quotient = math.floor((a * b + addend) / divisor)
	local high, low = product(a, b)
	local taken_high, taken_low = product(quotient, divisor)
	local remainder = (high - taken_high) + (low - taken_low) + addend
	if remainder < 0 then
		return quotient - 1, remainder + divisor
	elseif remainder >= divisor then
		return quotient + 1, remainder - divisor
	end
	return quotient, remainder
end

-- Twin of EarningLimit.
local earning = {}

function earning.ticks_until(bucket, permits, earned)
	return permits == 0 and 0 or (divide(permits, bucket.period, bucket.permits - 1 - earned, bucket.permits))
end

function earning.most_owed(bucket, owed)
	return math.min(owed, (divide(LONGEST, bucket.permits, 0, bucket.period)))
end

function earning.refundable(bucket)
	return bucket.cost
end

function earning.pass(bucket, spent, earned, as_of, moment)
	local elapsed = moment - as_of
	if spent > 0 and elapsed > 0 then
		if elapsed >= earning.ticks_until(bucket, spent, earned) then
			spent = 0
		else
			local back
			back, earned = divide(elapsed, bucket.permits, earned, bucket.period)
			spent = spent - back
		end
	end
	return spent, (spent == 0) and 0 or earned
end

-- Exact, for the quotient is far below 2^53.
local function window(bucket, moment)
	return math.floor((moment - bucket.phase) / bucket.period)
end

local function elapsed_in_window(bucket)
	return bucket.as_of - (window(bucket, bucket.as_of) * bucket.period + bucket.phase)
end

-- Twin of FixedWindow.
local issuing = {}

local function windows_for(bucket, permits)
	return math.ceil(permits / bucket.permits)
end

function issuing.ticks_until(bucket, permits)
	return permits == 0 and 0 or windows_for(bucket, permits) * bucket.period - elapsed_in_window(bucket)
end

function issuing.most_owed(bucket, owed)
	return math.min(owed, math.floor(LONGEST / bucket.period) * bucket.permits)
end

function issuing.refundable(bucket, since)
	if since == UNKNOWN or since >= bucket.as_of_before then
		return bucket.cost
	end
	local windows = window(bucket, bucket.as_of) - window(bucket, since)
	return (windows >= windows_for(bucket, bucket.cost)) and 0 or bucket.cost - windows * bucket.permits
end

function issuing.pass(bucket, spent, _, as_of, moment)
	if spent > 0 and moment > as_of then
		local windows = window(bucket, moment) - window(bucket, as_of)
		spent = (windows >= windows_for(bucket, spent)) and 0 or spent - windows * bucket.permits
	end
	return spent, 0
end

-- What every algorithm does: 'settle' reads how the bucket stands now, 'affords' says whether it has
-- enough for its cost, 'spend' and 'give_back' change it, and 'ticks_to_full' says how long it is to be
-- kept. Twin of ReservableLimit: a bucket's spent includes what it owes.
local function reservable(coming)
	return {
		owes = true,
		settle = function(bucket, state)
			local spent, earned = state.spent, state.earned
			if spent > bucket.capacity then
				spent, earned = bucket.capacity, 0
			end
			if state.owed > 0 then
				local owed = coming.most_owed(bucket, state.owed)
				spent, earned = spent + owed, (owed == state.owed) and earned or 0
			end
			if state.period ~= bucket.period then
				earned = divide(earned, bucket.period, 0, state.period)
			end
			bucket.before, bucket.earned_before, bucket.as_of_before = spent, earned, state.as_of
			bucket.spent, bucket.earned = coming.pass(bucket, spent, earned, state.as_of, now)
			bucket.previous, bucket.log = 0, ''
		end,
		affords = function(bucket)
			local lacking = bucket.cost - (bucket.capacity - bucket.spent)
			return lacking <= 0 or lacking <= bucket.reservable
				and coming.ticks_until(bucket, lacking, bucket.earned) <= bucket.patience
		end,
		spend = function(bucket)
			bucket.spent = bucket.spent + bucket.cost
		end,
		give_back = function(bucket, since)
			local spent_then = coming.pass(bucket, bucket.before, bucket.earned_before, bucket.as_of_before,
				math.max(since, now))
			local reserved_since = math.max(0, spent_then - bucket.capacity)
			local back = math.max(0, coming.refundable(bucket, since) - reserved_since)
			bucket.spent = math.max(0, bucket.spent - back)
			bucket.earned = (bucket.spent == 0) and 0 or bucket.earned
		end,
		ticks_to_full = function(bucket)
			return coming.ticks_until(bucket, bucket.spent, bucket.earned)
		end,
	}
end

-- Twin of SlidingWindow.
local sliding_window = {
	settle = function(bucket, state)
		local spent, previous = state.spent, state.previous
		if state.period ~= bucket.period then
			spent, previous = spent + previous, 0
		end
		spent, previous = math.min(spent, bucket.capacity), math.min(previous, bucket.capacity)
		local windows = (now <= state.as_of) and 0 or window(bucket, now) - window(bucket, state.as_of)
		if windows == 1 then
			spent, previous = 0, spent
		elseif windows > 1 then
			spent, previous = 0, 0
		end
		bucket.spent, bucket.previous, bucket.earned, bucket.log = spent, previous, 0, ''
	end,
	affords = function(bucket)
		local weighted = divide(bucket.previous, bucket.period - elapsed_in_window(bucket), bucket.period - 1, bucket.period)
		return bucket.cost <= bucket.capacity - bucket.spent - weighted
	end,
	spend = function(bucket)
		bucket.spent = bucket.spent + bucket.cost
	end,
	give_back = function(bucket)
		local from_present = math.min(bucket.spent, bucket.cost)
		bucket.spent = bucket.spent - from_present
		bucket.previous = bucket.previous - math.min(bucket.previous, bucket.cost - from_present)
	end,
	ticks_to_full = function(bucket)
		if bucket.spent == 0 and bucket.previous == 0 then
			return 0
		end
		return bucket.period * (bucket.spent > 0 and 2 or 1) - elapsed_in_window(bucket)
	end,
}

local function entry_at(log, place)
	return struct.unpack(ENTRY, log, place)
end

-- Strikes permits out of the entry at a place, up to what is left of the cost.
local function strike_out(bucket, place, cost)
	local moment, permits = entry_at(bucket.log, place)
	local struck = math.min(permits, cost)
	local rest = (struck < permits) and struct.pack(ENTRY, moment, permits - struck) or ''
	bucket.log = string.sub(bucket.log, 1, place - 1) .. rest .. string.sub(bucket.log, place + ENTRY_SIZE)
	bucket.spent = bucket.spent - struck
	return struck
end

-- Twin of SlidingLog.
local sliding_log = {
	settle = function(bucket, state)
		local expired = bucket.as_of - bucket.period
		local spent, place = state.spent, 1
		while place <= #state.log do
			local moment, permits = entry_at(state.log, place)
			if moment > expired then
				break
			end
			spent, place = spent - permits, place + ENTRY_SIZE
		end
		bucket.log = string.sub(state.log, place)
		bucket.spent, bucket.previous, bucket.earned = spent, 0, 0
	end,
	affords = function(bucket)
		return bucket.cost <= bucket.capacity - bucket.spent
	end,
	spend = function(bucket)
		if bucket.cost > 0 then
			local last, permits, before = UNKNOWN, 0, bucket.log
			if #before > 0 then
				last, permits = entry_at(before, #before - ENTRY_SIZE + 1)
			end
			if last == bucket.as_of then
				before = string.sub(before, 1, -ENTRY_SIZE - 1)
			else
				permits = 0
			end
			bucket.log = before .. struct.pack(ENTRY, bucket.as_of, permits + bucket.cost)
			bucket.spent = bucket.spent + bucket.cost
		end
	end,
	give_back = function(bucket, since)
		local place, cost = #bucket.log - ENTRY_SIZE + 1, bucket.cost
		if since == UNKNOWN then
			while place > 0 and cost > 0 do
				cost = cost - strike_out(bucket, place, cost)
				place = #bucket.log - ENTRY_SIZE + 1
			end
			return
		end
		while place > 0 and entry_at(bucket.log, place) > since do
			place = place - ENTRY_SIZE
		end
		if place > 0 and entry_at(bucket.log, place) == since then
			strike_out(bucket, place, cost)
		end
	end,
	ticks_to_full = function(bucket)
		if bucket.spent == 0 then
			return 0
		end
		return entry_at(bucket.log, #bucket.log - ENTRY_SIZE + 1) + bucket.period - bucket.as_of
	end,
}

local algorithms = {
	[TOKEN_BUCKET] = reservable(earning),
	[LEAKY_BUCKET] = reservable(earning),
	[FIXED_WINDOW] = reservable(issuing),
	[SLIDING_WINDOW] = sliding_window,
	[SLIDING_LOG] = sliding_log,
}

-- The bucket's stored value, or nil; then whether there is one that is not ours.
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

local function unpack_state(value)
	if #value < SIZE then
		return nil
	end
	local mark, spent, owed, earned, previous, period, as_of = struct.unpack(FORMAT, value)
	local most = math.max(spent, owed, previous)
	local entries = (#value - SIZE) / ENTRY_SIZE
	if not algorithms[mark] or most > MAX_PERMITS or earned >= period or period > MAX_TICKS or as_of > MAX_TICKS
		or (mark ~= SLIDING_LOG and entries ~= 0) or entries ~= math.floor(entries) then
		return nil
	end
	return {
		mark = mark,
		spent = spent,
		owed = owed,
		earned = earned,
		previous = previous,
		period = period,
		as_of = as_of,
		log = string.sub(value, SIZE + 1),
	}
end

-- What is stored of the bucket, or nil.
local function read(bucket)
	local value, foreign = get(bucket.key)
	local state = value and unpack_state(value) or nil
	bucket.known = state ~= nil
	bucket.stored = (foreign or value and not state) and 0 or value or false
	return state
end

-- The state of a bucket of this algorithm. What another one has written is a full bucket.
local function own(bucket, state)
	if state and state.mark == bucket.mark then
		return state
	end
	return { spent = 0, owed = 0, earned = 0, previous = 0, period = bucket.period, as_of = bucket.as_of, log = '' }
end

-- How the bucket stands now.
local function settle(bucket)
	local state = read(bucket)
	bucket.as_of = math.max(state and state.as_of or 0, now)
	bucket.algorithm.settle(bucket, own(bucket, state))
end

local function affords(bucket)
	return bucket.cost == 0 or bucket.algorithm.affords(bucket)
end

local function set(bucket, value)
	local milliseconds = math.ceil(bucket.algorithm.ticks_to_full(bucket) / 1000) + MARGIN
	redis.call('SET', bucket.key, value, 'PX', milliseconds)
end

local function write(bucket)
	local spent = bucket.algorithm.owes and math.min(bucket.spent, bucket.capacity) or bucket.spent
	local numbers = struct.pack(FORMAT, bucket.mark, spent, bucket.spent - spent, bucket.earned, bucket.previous,
		bucket.period, bucket.as_of)
	set(bucket, numbers .. bucket.log)
end

local function give_back(bucket, since)
	if bucket.known then
		bucket.algorithm.give_back(bucket, since)
		write(bucket)
	end
end

local function bucket_at(i)
	local first = 2 + (i - 1) * ARGUMENTS
	local mark = tonumber(ARGV[first])
	return {
		key = KEYS[i],
		mark = mark,
		algorithm = algorithms[mark],
		permits = tonumber(ARGV[first + 1]),
		period = tonumber(ARGV[first + 2]),
		capacity = tonumber(ARGV[first + 3]),
		phase = tonumber(ARGV[first + 4]),
		cost = tonumber(ARGV[first + 5]),
		enforced = ARGV[first + 6] == '1',
		reservable = tonumber(ARGV[first + 7]),
		patience = tonumber(ARGV[first + 8]),
	}
end

local function since_of(i)
	return tonumber(ARGV[1 + #KEYS * ARGUMENTS + i])
end

local operations = {}

function operations.acquire(answer)
	local buckets = {}
	for i = 1, #KEYS do
		local bucket = bucket_at(i)
		settle(bucket)
		bucket.affordable = affords(bucket)
		if bucket.enforced and not bucket.affordable then
			answer[1] = 0
		end
		answer[i + 2] = bucket.stored
		buckets[i] = bucket
	end
	if answer[1] == 1 then
		for _, bucket in ipairs(buckets) do
			if bucket.affordable then
				bucket.algorithm.spend(bucket)
				write(bucket)
			end
		end
	end
end

function operations.peek(answer)
	for i = 1, #KEYS do
		local bucket = { key = KEYS[i] }
		read(bucket)
		answer[i + 2] = bucket.stored
	end
end

function operations.refund(answer)
	for i = 1, #KEYS do
		local bucket = bucket_at(i)
		settle(bucket)
		give_back(bucket, since_of(i))
		answer[i + 2] = bucket.stored
	end
end

function operations.undo(answer)
	for i = 1, #KEYS do
		local bucket = bucket_at(i)
		local first = 2 + #KEYS * (ARGUMENTS + 1) + (i - 1) * 2
		local after, before = ARGV[first], ARGV[first + 1]
		settle(bucket)
		if bucket.stored ~= after then
			give_back(bucket, since_of(i))
		elseif before == '' then
			redis.call('DEL', bucket.key)
		else
			bucket.algorithm.settle(bucket, own(bucket, unpack_state(before)))
			set(bucket, before)
		end
		answer[i + 2] = bucket.stored
	end
end

function operations.reset(answer)
	for i = 1, #KEYS do
		local bucket = { key = KEYS[i], capacity = 0 }
		local state = read(bucket)
		if state then
			bucket.mark, bucket.algorithm = state.mark, algorithms[state.mark]
			bucket.spent, bucket.earned, bucket.previous, bucket.log = 0, 0, 0, ''
			bucket.permits, bucket.period, bucket.phase = 1, 1, 0
			bucket.as_of = math.max(state.as_of, now)
			write(bucket)
		end
		answer[i + 2] = bucket.stored
	end
end

local answer = { 1, now }
operations[ARGV[1]](answer)
return answer

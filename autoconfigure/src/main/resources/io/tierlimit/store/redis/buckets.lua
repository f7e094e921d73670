-- Buckets in Redis. Twin of TokenBucket and FixedWindow in io.tierlimit.limit: change both or neither.
--
-- KEYS     the buckets
-- ARGV[1]  'acquire' takes from all buckets, if every enforced one has enough, or from none
--          'peek'    changes nothing
--          'refund'  gives back, bucket by bucket
--          'undo'    makes it as if a taking had not been, if nobody has acted since; else gives back
--          'reset'   makes them full
-- ARGV[2]  and on, for acquire, refund and undo, for every bucket: the algorithm's mark, the rate's
--          permits, its period in ticks, the capacity, the phase of its windows, the cost, and 1 if the
--          charge is enforced, 0 if it is a shadow; then for undo, for every bucket: what was stored after the taking, and before ('' for nothing)
--
-- Answers 1 if the request is admitted, else 0; the moment in ticks; and for every bucket what was
-- stored before: its packed state, nil for a full one that is not stored, 0 for what is not ours.
--
-- A tick is a microsecond. All numbers are whole and below 2^53, where doubles are exact.

local TOKEN_BUCKET = 1    -- marks of algorithms: whose state it is
local FIXED_WINDOW = 2
local ARGUMENTS = 7       -- for every bucket
local FORMAT = '>BI8I8I8I8' -- mark, spent, earned, period, as of
local SIZE = 33
local MAX_PERMITS = 1000000000000
local MAX_TICKS = 2 ^ 53
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

local function ticks_to_earn(bucket, permits, earned)
	return (divide(permits, bucket.period, bucket.permits - 1 - earned, bucket.permits))
end

-- Twin of FixedWindow.window: exact, for the quotient is far below 2^53.
local function window(bucket, moment)
	return math.floor((moment - bucket.phase) / bucket.period)
end

local function windows_for(bucket, permits)
	return math.ceil(permits / bucket.permits)
end

-- What is left, once time has passed, of what was spent and earned; and how long it takes until all is.
local algorithms = {}

algorithms[TOKEN_BUCKET] = {
	-- Twin of TokenBucket.spentAt and earnedAt.
	pass = function(bucket, spent, earned, as_of)
		local elapsed = now - as_of
		if spent > 0 and elapsed > 0 then
			if elapsed >= ticks_to_earn(bucket, spent, earned) then
				spent = 0
			else
				local back
				back, earned = divide(elapsed, bucket.permits, earned, bucket.period)
				spent = spent - back
			end
		end
		return spent, (spent == 0) and 0 or earned
	end,
	ticks_to_full = ticks_to_earn,
}

algorithms[FIXED_WINDOW] = {
	-- Twin of FixedWindow.spentAt.
	pass = function(bucket, spent, _, as_of)
		if spent > 0 and now > as_of then
			local windows = window(bucket, now) - window(bucket, as_of)
			spent = (windows >= windows_for(bucket, spent)) and 0 or spent - windows * bucket.permits
		end
		return spent, 0
	end,
	ticks_to_full = function(bucket, spent)
		if spent == 0 then
			return 0
		end
		local begin = window(bucket, bucket.as_of) * bucket.period + bucket.phase
		return windows_for(bucket, spent) * bucket.period - (bucket.as_of - begin)
	end,
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
	if #value ~= SIZE then
		return nil
	end
	local mark, spent, earned, period, as_of = struct.unpack(FORMAT, value)
	if not algorithms[mark] or spent > MAX_PERMITS or earned >= period or period > MAX_TICKS or as_of > MAX_TICKS then
		return nil
	end
	return mark, spent, earned, period, as_of
end

local function read(bucket)
	local value, foreign = get(bucket.key)
	local mark, spent, earned, period, as_of
	if value then
		mark, spent, earned, period, as_of = unpack_state(value)
		foreign = not mark
	end
	bucket.known = mark ~= nil
	bucket.stored = foreign and 0 or value or false
	return mark, spent or 0, earned or 0, period or 1, as_of or 0
end

-- How the bucket stands now. What another algorithm has written is a full bucket.
local function settle(bucket)
	local mark, spent, earned, period, as_of = read(bucket)
	if mark ~= bucket.mark then
		spent, earned = 0, 0
	elseif spent > bucket.capacity then
		spent, earned = bucket.capacity, 0
	elseif period ~= bucket.period then
		earned = divide(earned, bucket.period, 0, period)
	end
	bucket.spent, bucket.earned = bucket.algorithm.pass(bucket, spent, earned, as_of)
	bucket.as_of = math.max(as_of, now)
end

local function affords(bucket)
	return bucket.cost == 0 or bucket.cost <= bucket.capacity - bucket.spent
end

local function set(bucket, value, spent, earned)
	local milliseconds = math.ceil(bucket.algorithm.ticks_to_full(bucket, spent, earned) / 1000) + MARGIN
	redis.call('SET', bucket.key, value, 'PX', milliseconds)
end

local function write(bucket, spent, earned)
	set(bucket, struct.pack(FORMAT, bucket.mark, spent, earned, bucket.period, bucket.as_of), spent, earned)
end

local function give_back(bucket)
	if bucket.known then
		local spent = math.max(0, bucket.spent - bucket.cost)
		write(bucket, spent, (spent == 0) and 0 or bucket.earned)
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
	}
end

local operations = {}

function operations.acquire(answer)
	local buckets = {}
	for i = 1, #KEYS do
		local bucket = bucket_at(i)
		settle(bucket)
		if bucket.enforced and not affords(bucket) then
			answer[1] = 0
		end
		answer[i + 2] = bucket.stored
		buckets[i] = bucket
	end
	if answer[1] == 1 then
		for _, bucket in ipairs(buckets) do
			if affords(bucket) then
				write(bucket, bucket.spent + bucket.cost, bucket.earned)
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
		give_back(bucket)
		answer[i + 2] = bucket.stored
	end
end

function operations.undo(answer)
	for i = 1, #KEYS do
		local bucket = bucket_at(i)
		local first = 2 + #KEYS * ARGUMENTS + (i - 1) * 2
		local after, before = ARGV[first], ARGV[first + 1]
		settle(bucket)
		if bucket.stored ~= after then
			give_back(bucket)
		elseif before == '' then
			redis.call('DEL', bucket.key)
		else
			local _, spent = unpack_state(before)
			set(bucket, before, math.min(spent, bucket.capacity), 0)
		end
		answer[i + 2] = bucket.stored
	end
end

function operations.reset(answer)
	for i = 1, #KEYS do
		local bucket = { key = KEYS[i], permits = 1, period = 1, phase = 0 }
		local mark, _, _, _, as_of = read(bucket)
		if bucket.known then
			bucket.mark, bucket.algorithm = mark, algorithms[mark]
			bucket.as_of = math.max(as_of, now)
			write(bucket, 0, 0)
		end
		answer[i + 2] = bucket.stored
	end
end

local answer = { 1, now }
operations[ARGV[1]](answer)
return answer

-- The minimum cost of token buckets in Redis: one value per bucket, the clock of Redis, all or nothing.
-- KEYS: the buckets. ARGV: for each bucket the capacity, the permits of a microsecond, and the cost.
-- Not exact, and without refunds, reservations, changes of a limit or protection against other values.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local left = {}
for i = 1, #KEYS do
	local capacity, rate, cost = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
	local value = redis.call('GET', KEYS[i])
	local permits = capacity
	if value then
		local stored, at = struct.unpack('>dd', value)
		permits = math.min(capacity, stored + math.max(0, now - at) * rate)
	end
	if permits < cost then
		return { 0, tostring(permits) }
	end
	left[i] = permits - cost
end
local reply = { 1 }
for i = 1, #KEYS do
	local full_in = (ARGV[3 * i - 2] - left[i]) / ARGV[3 * i - 1]
	redis.call('SET', KEYS[i], struct.pack('>dd', left[i], now), 'PX', math.ceil(full_in / 1000) + 1000)
	reply[i + 1] = tostring(left[i])
end
return reply

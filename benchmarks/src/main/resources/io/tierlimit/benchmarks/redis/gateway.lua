-- A token bucket that makes the same calls as the script of Spring Cloud Gateway: the permits and the second of the last
-- request in two keys, each read by GET and written by SETEX; the clock of Redis in whole seconds.
-- KEYS: the permits, the second. ARGV: the permits of a second, the capacity, the cost.
local rate, capacity, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(redis.call('TIME')[1])
local seconds = math.floor(capacity / rate * 2)
local permits = tonumber(redis.call('GET', KEYS[1])) or capacity
local at = tonumber(redis.call('GET', KEYS[2])) or 0
permits = math.min(capacity, permits + math.max(0, now - at) * rate)
local allowed = permits >= cost
if allowed then
	permits = permits - cost
end
if seconds > 0 then
	redis.call('SETEX', KEYS[1], seconds, permits)
	redis.call('SETEX', KEYS[2], seconds, now)
end
return { allowed and 1 or 0, permits }

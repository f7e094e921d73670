-- The instances that share the buckets. Each instance is a member until its end, by the clock of Redis.
--
-- KEYS[1]  the members: a line for each member, with its id and its end in milliseconds
-- ARGV[1]  'join'  adds a member, or moves its end
--          'leave' removes it
-- ARGV[2]  the id of the member
-- ARGV[3]  the time from a call of 'join' to the end of the member, in milliseconds
--
-- Returns the number of members. Members that have ended are removed.
--
-- All numbers are whole and below 2^53. They are written by string.format, because .. writes only 14 digits.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local life = tonumber(ARGV[3])
local lines, last = {}, now

local function add(id, ends)
	lines[#lines + 1] = string.format('%s %.0f', id, ends)
	last = math.max(last, ends)
end

for id, stored in string.gmatch(redis.call('GET', KEYS[1]) or '', '(%S+) (%d+)') do
	-- Otherwise, after the clock has stepped back, a member that has crashed would not end for a long time.
	local ends = math.min(tonumber(stored), now + life)
	if id ~= ARGV[2] and ends > now then
		add(id, ends)
	end
end
if ARGV[1] == 'join' then
	add(ARGV[2], now + life)
end
-- Without members, the key expires at once. It is not deleted, so that the right to delete keys is not required.
redis.call('SET', KEYS[1], table.concat(lines, '\n'), 'PX', math.max(1, last - now))
return { #lines }

#!lua
-- Claim a game that is due for one worker, and record that a worker is running.
--
-- KEYS[1]  the due games          sorted set: game id by unix ms, or by its place among those that
--                                 are due immediately
-- KEYS[2]  the claims             hash: game id to when the claim ends, a space, who has it
-- KEYS[3]  a worker is running    string that expires
-- ARGV[1]  now                    unix milliseconds, decimal
-- ARGV[2]  worker                 a name without spaces
-- ARGV[3]  a claim's length       milliseconds, decimal
--
-- Returns {id or nil, when the next is due or nil}.
--
-- Games whose time has come go before those that are due immediately: there are few of them, and
-- each is then not due for a while. Claims follow this server's clock, not the workers'.

local FIRST_TIME = 1000000000000

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[3])

redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])

local claims = redis.call('HGETALL', KEYS[2])
for i = 1, #claims, 2 do
  local ends = tonumber(string.match(claims[i + 1], '^%d+'))
  -- A claim that ends later than any can was made before the clock was set back; one without an end
  -- is damaged.
  if not ends or ends <= clock or ends > clock + length then
    redis.call('HDEL', KEYS[2], claims[i])
    redis.call('ZADD', KEYS[1], 'LT', 0, claims[i])
  end
end

local found
repeat
  found = redis.call('ZRANGE', KEYS[1], FIRST_TIME, ARGV[1], 'BYSCORE', 'LIMIT', 0, 1)
  if #found == 0 then
    found = redis.call('ZRANGE', KEYS[1], '-inf', '(' .. FIRST_TIME, 'BYSCORE', 'LIMIT', 0, 1)
  end
  if found[1] then
    redis.call('ZREM', KEYS[1], found[1])
  end
  -- What cannot be a game's id is damaged, and nothing to look at.
until not found[1] or string.match(found[1], '^%w+$')
if found[1] then
  redis.call('HSET', KEYS[2], found[1], string.format('%.0f %s', clock + length, ARGV[2]))
end
return {found[1] or false, redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or false}

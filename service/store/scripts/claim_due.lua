#!lua
-- Lend a game that is due to one worker, which shows by this that it is at work.
--
-- KEYS[1]  the games to look at   sorted set: game id by unix ms, or by its place among those that
--                                 are due at once
-- KEYS[2]  the loans              hash: game id to when it ends, a blank, who has it
-- KEYS[3]  a worker is at work    string that expires
-- ARGV[1]  now                    unix milliseconds, decimal
-- ARGV[2]  worker                 a name without blanks
-- ARGV[3]  a loan's length        milliseconds, decimal
--
-- Returns {id or nil, when the next is due or nil}.
--
-- Games whose time has come go before those that are due at once: there are few of them, and each
-- is then not due for a while. Loans follow this server's own clock, whatever the workers' say.

local FIRST_TIME = 1000000000000

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[3])

redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])

local lent = redis.call('HGETALL', KEYS[2])
for i = 1, #lent, 2 do
  local ends = tonumber(string.match(lent[i + 1], '^%d+'))
  -- A loan that ends later than any can was made before the clock was set back; one that does
  -- not say when it ends is damaged.
  if not ends or ends <= clock or ends > clock + length then
    redis.call('HDEL', KEYS[2], lent[i])
    redis.call('ZADD', KEYS[1], 'LT', 0, lent[i])
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

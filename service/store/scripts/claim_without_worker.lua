#!lua
-- Claim one game, due or not, for a process that is not a worker, if no worker will check it.
--
-- KEYS[1]  the due games          sorted set: game id by unix ms, or by its place among those that
--                                 are due immediately
-- KEYS[2]  the claims             hash: game id to when the claim ends, a space, who has it
-- KEYS[3]  a worker is running    string that expires
-- ARGV[1]  game id
-- ARGV[2]  claimant               a name without spaces
-- ARGV[3]  a claim's length       milliseconds, decimal
--
-- Returns 1, or 0 if a worker is running or the game is claimed.
--
-- A running worker gets the game as due: its entry may have been lost by a rollback, a failover or
-- eviction.

local FIRST_TIME = 1000000000000

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[3])

local ends = tonumber(string.match(redis.call('HGET', KEYS[2], ARGV[1]) or '', '^%d+'))
if ends and ends > clock and ends <= clock + length then
  return 0
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  local last = redis.call('ZRANGE', KEYS[1], '(' .. FIRST_TIME, '-inf', 'BYSCORE', 'REV',
    'LIMIT', 0, 1, 'WITHSCORES')[2]
  redis.call('ZADD', KEYS[1], 'LT', (last or 0) + 1, ARGV[1])
  return 0
end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f %s', clock + length, ARGV[2]))
return 1

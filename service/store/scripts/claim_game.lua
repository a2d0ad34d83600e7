#!lua
-- Lend one game, due or not, to somebody who is no worker, if no worker will look at it.
--
-- KEYS[1]  the games to look at   sorted set: game id by unix ms, or by its place among those that
--                                 are due at once
-- KEYS[2]  the loans              hash: game id to when it ends, a blank, who has it
-- KEYS[3]  a worker is at work    string that expires
-- ARGV[1]  game id
-- ARGV[2]  who asks               a name without blanks
-- ARGV[3]  a loan's length        milliseconds, decimal
--
-- Returns 1, or 0 if a worker is at work or somebody has the game.
--
-- A worker that is at work is told to look: what it is to look at may have been lost, with this
-- slot's server, by a rollback or by eviction.

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

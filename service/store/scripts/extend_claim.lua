#!lua
-- Prolong a worker's loan of a game, and show that a worker is at work.
--
-- KEYS[1]  the loans              hash: game id to when it ends, a blank, who has it
-- KEYS[2]  a worker is at work    string that expires
-- ARGV[1]  game id
-- ARGV[2]  worker                 a name without blanks
-- ARGV[3]  a loan's length        milliseconds, decimal
--
-- Returns 1, or 0 if somebody else has the game by now.

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])

local loan = redis.call('HGET', KEYS[1], ARGV[1])
if not loan or string.match(loan, ' (%S+)$') ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %s', clock + ARGV[3], ARGV[2]))
return 1

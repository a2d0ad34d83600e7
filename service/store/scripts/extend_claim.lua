#!lua
-- Extend a worker's claim of a game, and record that a worker is running.
--
-- KEYS[1]  the claims             hash: game id to when the claim ends, a space, who has it
-- KEYS[2]  a worker is running    string that expires
-- ARGV[1]  game id
-- ARGV[2]  worker                 a name without spaces
-- ARGV[3]  a claim's length       milliseconds, decimal
--
-- Returns 1, or 0 if another worker has claimed the game.

local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])

local claim = redis.call('HGET', KEYS[1], ARGV[1])
if not claim or string.match(claim, ' (%S+)$') ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %s', clock + ARGV[3], ARGV[2]))
return 1

#!lua
-- Add a game to those lists that should have it but do not.
--
-- KEYS     the lists         sorted sets: game id (16 bytes) by unix milliseconds
-- ARGV[1]  game id           16 bytes
-- ARGV[2]  time              of its newest event, unix milliseconds, decimal
-- ARGV[3]  lifetime left     of the game, milliseconds, decimal
--
-- An entry with a later time stays: it was written for a commit that is under way.
--
-- Returns how many lists did not have it.

local added = 0
for _, key in ipairs(KEYS) do
  added = added + redis.call('ZADD', key, 'GT', ARGV[2], ARGV[1])
  if redis.call('PTTL', key) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', key, ARGV[3])
  end
end
return added

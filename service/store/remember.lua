#!lua
-- Remember a request that succeeded without an event of its own.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the retries    hash
-- ARGV[1]  retry key
-- ARGV[2]  its entry      as in commit.lua
--
-- Returns 1, or 0 if there is no such game.

local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  return 0
end
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], left)
return 1

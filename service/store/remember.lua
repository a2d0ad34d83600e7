#!lua
-- Remember a request that succeeded without an event of its own.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the retries    hash
-- ARGV[1]  retry key
-- ARGV[2]  its entry      as in commit.lua
--
-- Returns 1, or 0 if there is no such game.

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then
  return 0
end
redis.call('HSETNX', KEYS[3], ARGV[1], ARGV[2])
return 1

#!lua
-- Write a state again unchanged, so that WAIT on this connection covers it and all that led to it.
--
-- KEYS[1]  the state        string
-- KEYS[2]  the log          list
-- ARGV[1]  expected stamp   of the state
--
-- Returns -1, or the version of the game if its state has another stamp (0: no such game).

local STAMP = 16

local state = redis.call('GET', KEYS[1])
if not state or string.sub(state, 1, STAMP) ~= ARGV[1] then
  return redis.call('LLEN', KEYS[2])
end
redis.call('SET', KEYS[1], state, 'KEEPTTL')
return -1

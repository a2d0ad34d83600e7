#!lua
-- Write an event again unchanged, so that WAIT on this connection covers it.
--
-- KEYS[1]  the log      list
-- ARGV[1]  number       of the event, decimal
-- ARGV[2]  nonce        of the event
--
-- Returns 1, or 0 if that event is not in the log.

local NONCE = 8

local index = tonumber(ARGV[1]) - 1
local there = redis.call('LINDEX', KEYS[1], index)
if not there or string.sub(there, 1, NONCE) ~= ARGV[2] then
  return 0
end
redis.call('LSET', KEYS[1], index, there)
return 1

#!lua flags=no-writes
-- A game as of one moment: its state, what its log ends with, and more if asked for.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the retries    hash
-- ARGV[1]  retry key      empty for none
-- ARGV[2]  first          index of the first event wanted, from 0; absent for none
-- ARGV[3]  last           index of the last one wanted; -1 for all the rest
--
-- Returns {state, length of the log, nonce of its newest event, retry entry or nil, events oldest
-- first}, each as it is stored; nil if there is no such game. A game that misses a part (the
-- server evicted it) is no game any more.

local NONCE = 8

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then
  return false
end
return {
  redis.call('GET', KEYS[1]),
  redis.call('LLEN', KEYS[2]),
  string.sub(redis.call('LINDEX', KEYS[2], -1), 1, NONCE),
  ARGV[1] ~= '' and redis.call('HGET', KEYS[3], ARGV[1]),
  ARGV[2] and redis.call('LRANGE', KEYS[2], ARGV[2], ARGV[3]) or {}
}
